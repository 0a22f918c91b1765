/// What the tables, views and columns mean: rows of the table `documentation`, and the tables of docs/DATABASE.md.
enum HealthDatabaseDocumentation {
    /// One meaning; the column is empty for the table or view itself.
    struct Line: Sendable, Equatable {
        let object: String
        let column: String
        let meaning: String
    }

    /// All of them in order.
    static let lines: [Line] = text.split(separator: "\n").map { line in
        let parts = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
        precondition(parts.count == 3, "not a line of the documentation: \(line)")
        return Line(object: String(parts[0]), column: String(parts[1]), meaning: String(parts[2]))
    }

    private static let text = """
        about||one row per fact about this database
        about|key|schema, schema_version, document_schema, instants, contents_sha256, updated_at
        about|value|its value
        documentation||this list
        documentation|object|table or view
        documentation|column_name|column; empty for the table or view itself
        documentation|meaning|what it holds
        metric_definitions||every metric key that can stand in metrics
        metric_definitions|key|output key, as in the data dictionary of an export
        metric_definitions|metric_id|the metric that the key belongs to
        metric_definitions|name|name of the metric for people
        metric_definitions|category|category of the metric
        metric_definitions|unit|unit of the value; empty when it has none
        metric_definitions|daily_rule|how the samples of a day become its value
        documents||every JSON file of the folder that was looked at
        documents|path|relative to the folder
        documents|state|read; failed: it cannot be read; missing: it is gone; other: no day document, or a copy of one
        documents|date|the day, where it is known
        documents|sha256|of its bytes, hexadecimal; empty when they could not be read
        documents|byte_count|bytes
        documents|failure_code|why it cannot be read, as a stable code
        documents|checked_at|when it was last read
        calendar||every date from the first day to the last, days without rows included
        calendar|date|yyyy-MM-dd
        calendar|day_number|days after 1970-01-01
        calendar|week|the Monday that its week begins with, yyyy-MM-dd
        calendar|month|yyyy-MM
        calendar|year|the year
        calendar|weekday|1 for Monday to 7 for Sunday
        days||one row per day
        days|date|the day, yyyy-MM-dd, in its own time zone
        days|time_zone|IANA name of the zone that defines the day
        days|starts_at|first instant of the day
        days|ends_at|first instant of the next day
        days|document_version|version of healthmd.health_data
        days|capture_status|complete, partial, not_requested or legacy_unavailable
        days|document_path|the document that the rows of the day were made from
        days|document_sha256|digest of that document
        days|skipped_elements|elements of the document that could not be read and have no row
        days|updated_at|when the rows were written
        metrics||the values of the days, one row per day and key
        metrics|date|the day
        metrics|key|output key, see metric_definitions
        metrics|value|number, not rounded; 1 and 0 for true and false
        metrics|text|where the value is no number: text, clock time, or a JSON list
        metrics|unit|unit of the value
        samples||time series of the day (documents with time-series detail)
        samples|date|the day that owns the sample
        samples|metric|heart_rate, hrv, blood_oxygen, blood_glucose, respiratory_rate, blood_pressure_systolic, blood_pressure_diastolic
        samples|number|place in the document, from 1
        samples|time|instant of the sample
        samples|value|number
        samples|unit|its unit; ratio is 0 to 1
        samples|metadata|JSON object, if any
        sleep_stages||the intervals of sleep
        sleep_stages|date|the day on whose evening the night begins
        sleep_stages|number|place in the document, from 1
        sleep_stages|stage|deep, rem, core, awake, inBed or unspecified
        sleep_stages|start_time|start
        sleep_stages|end_time|end
        sleep_stages|seconds|length
        sleep_stages|metadata|JSON object, if any
        workouts||one row per workout
        workouts|date|the day of its start
        workouts|number|place in the day, from 1; its parts name it as workout
        workouts|id|UUID
        workouts|type|activity for people
        workouts|sport|activity as a token
        workouts|activity_type|HealthKit's number of the activity
        workouts|start_time|start
        workouts|end_time|end
        workouts|seconds|active time
        workouts|elapsed_seconds|from start to end
        workouts|distance_m|metres
        workouts|energy_kcal|kilocalories
        workouts|average_heart_rate|beats per minute
        workouts|maximum_heart_rate|beats per minute
        workouts|minimum_heart_rate|beats per minute
        workouts|average_power_w|watts
        workouts|maximum_power_w|watts
        workouts|running_cadence_spm|steps per minute
        workouts|cycling_cadence_rpm|revolutions per minute
        workouts|stride_length_m|metres
        workouts|ground_contact_ms|milliseconds
        workouts|vertical_oscillation_cm|centimetres
        workouts|elevation_gain_m|metres
        workouts|elevation_loss_m|metres
        workouts|is_indoor|1 indoors, 0 outdoors, NULL unknown
        workouts|source|name of the source
        workouts|device|name of the device
        workouts|metadata|JSON object, if any
        workout_sections||laps and splits
        workout_sections|date|the day of the workout
        workout_sections|workout|number of the workout on that day
        workout_sections|kind|lap or split
        workout_sections|number|place, from 1
        workout_sections|start_time|start
        workout_sections|end_time|end
        workout_sections|seconds|length
        workout_sections|distance_m|metres
        workout_sections|average_heart_rate|beats per minute
        workout_samples||time series of workouts
        workout_samples|date|the day of the workout
        workout_samples|workout|number of the workout on that day
        workout_samples|series|heart_rate (bpm), speed (m/s), power (W), cadence, stride_length (m), ground_contact_time (ms), vertical_oscillation (cm), altitude (m)
        workout_samples|number|place in the series, from 1
        workout_samples|time|instant
        workout_samples|value|number
        route_points||positions of workouts
        route_points|date|the day of the workout
        route_points|workout|number of the workout on that day
        route_points|number|place on the route, from 1
        route_points|time|instant
        route_points|latitude|degrees, WGS 84
        route_points|longitude|degrees, WGS 84
        route_points|altitude_m|metres
        route_points|horizontal_accuracy_m|metres
        route_points|vertical_accuracy_m|metres
        route_points|speed_mps|metres per second
        route_points|course_degrees|degrees from north
        moods||states of mind
        moods|date|the day
        moods|number|place in the day, from 1
        moods|id|UUID
        moods|kind|Daily Mood, Momentary Emotion or Unknown
        moods|time|instant
        moods|valence|-1 (very unpleasant) to 1 (very pleasant)
        moods|labels|JSON list
        moods|associations|JSON list
        doses||doses of medications
        doses|date|the day
        doses|number|place in the day, from 1
        doses|id|UUID
        doses|medication|name
        doses|status|taken, skipped and so on
        doses|time|instant
        doses|scheduled_time|when it was due
        doses|schedule_type|scheduled or as_needed
        doses|quantity|taken
        doses|scheduled_quantity|due
        doses|unit|unit of both
        records||source records of lossless documents
        records|date|the day that owns the record
        records|number|place in the archive, from 1; external records follow the others
        records|identifier|UUID of the source object, or the external identifier
        records|identity_kind|healthkit_uuid, or the kind of the external identifier
        records|object_type|type identifier of HealthKit
        records|record_kind|quantity, category, workout and so on
        records|start_time|start, where the record has one
        records|end_time|end, where the record has one
        records|value|number of a quantity or category
        records|unit|unit of the quantity
        records|source|name of the source
        records|device|name or text of the device
        records|json|the whole record as compact JSON
        failures||what the source could not read or we could not render
        failures|date|the day
        failures|number|place in the document, from 1
        failures|data_type|what was meant
        failures|description|what went wrong
        daily_metrics||view: metrics with names and the start of the day
        daily_steps||view: steps, walking distance and floors of a day
        sleep_nights||view: hours per night and stage, bedtime, wake time
        resting_heart_rate||view: resting heart rate with the mean of the last seven days that have one
        daily_heart||view: average, minimum, maximum and resting heart rate, variability
        heart_rate_by_hour||view: heart rate samples by UTC hour
        body_weight||view: weight and body fat
        workouts_per_week||view: workouts by sport and week (the Monday)
        monthly_metrics||view: total, mean, minimum and maximum per month and metric
        missing_days||view: days between the first and the last that have no rows: absent, or failed when a document of that day cannot be read
        stale_days||view: days whose rows come from a document that is gone (missing) or cannot be read now (failed)
        """
}
