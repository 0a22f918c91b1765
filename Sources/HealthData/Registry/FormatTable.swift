// swift-format-ignore-file: a generated table; edit Tools/generate-registry.py instead.

/// Row orders, body lines and constant sentences of the files as data.
///
/// Made from format-constants.json by `Tools/generate-registry.py`; a test holds it to that file.
enum FormatTable {
    /// One fact a line, fields separated by tabs, the first field naming the kind.
    static let text = #"""
        csv	Sleep	sleep_total_hours	sleep_bedtime	sleep_wake	sleep_deep_hours	sleep_rem_hours	sleep_core_hours	sleep_awake_hours	sleep_in_bed_hours	@sleep.sleepStages
        csv	Activity	steps	active_calories	basal_calories	exercise_minutes	stand_time_minutes	stand_hours	flights_climbed	walking_running_km	cycling_km	swimming_m	swimming_strokes	wheelchair_pushes	vo2_max	vo2_max_source_uuid	vo2_max_source_start	vo2_max_source_end	vo2_max_carried_forward	vo2_max_age_seconds	wheelchair_km	downhill_snow_km	move_minutes	physical_effort
        csv	Heart	resting_heart_rate	walking_heart_rate	average_heart_rate	heart_rate_min	heart_rate_max	hrv_ms	@heart.heartRateSamples	@heart.hrvSamples	heart_rate_recovery	afib_burden_percent
        csv	Vitals	respiratory_rate_avg	respiratory_rate_min	respiratory_rate_max	blood_oxygen_avg	blood_oxygen_min	blood_oxygen_max	body_temperature_avg	body_temperature_min	body_temperature_max	blood_pressure_systolic_avg	blood_pressure_systolic_min	blood_pressure_systolic_max	blood_pressure_diastolic_avg	blood_pressure_diastolic_min	blood_pressure_diastolic_max	blood_glucose_avg	blood_glucose_min	blood_glucose_max	@vitals.bloodOxygenSamples	@vitals.bloodGlucoseSamples	@vitals.respiratoryRateSamples	@vitals.bloodPressureSamples	basal_body_temperature	wrist_temperature	electrodermal_activity	forced_vital_capacity_l	fev1_l	peak_expiratory_flow	inhaler_usage
        csv	Body	weight_kg	height_m	bmi	body_fat_percent	lean_body_mass_kg	waist_circumference_cm
        csv	Nutrition	dietary_calories	protein_g	carbohydrates_g	fat_g	saturated_fat_g	fiber_g	sugar_g	sodium_mg	cholesterol_mg	water_l	caffeine_mg	monounsaturated_fat_g	polyunsaturated_fat_g
        csv	Mindfulness	mindful_minutes	mindful_sessions	average_mood_valence	average_mood_percent	daily_mood_count	daily_mood_percent	momentary_emotion_count	mood_entries
        csv	State of Mind	@mindfulness.stateOfMindEntries
        csv	Mobility	walking_speed	step_length_cm	double_support_percent	walking_asymmetry_percent	stair_ascent_speed	stair_descent_speed	six_min_walk_m	walking_steadiness_percent	running_speed	running_stride_length_m	running_ground_contact_ms	running_vertical_oscillation_cm	running_power_w
        csv	Hearing	headphone_audio_db	environmental_sound_db
        csv	Workouts	@workouts
        csv	Reproductive Health	menstrual_flow	sexual_activity	ovulation_test	cervical_mucus	intermenstrual_bleeding
        csv	Cycling	cycling_km	cycling_speed	cycling_power_w	cycling_cadence_rpm	cycling_ftp_w
        csv	Vitamins	vitamin_a_ug	vitamin_b6_mg	vitamin_b12_ug	vitamin_c_mg	vitamin_d_ug	vitamin_e_mg	vitamin_k_ug	thiamin_mg	riboflavin_mg	niacin_mg	folate_ug	biotin_ug	pantothenic_acid_mg
        csv	Minerals	calcium_mg	iron_mg	potassium_mg	magnesium_mg	phosphorus_mg	zinc_mg	selenium_ug	copper_mg	manganese_mg	chromium_ug	molybdenum_ug	chloride_mg	iodine_ug
        csv	Symptoms	by label
        csv	Medications	medication_count	active_medication_count	archived_medication_count	medication_dose_count	medication_taken_count	medication_skipped_count	@medications.medications	@medications.doseEvents
        csv	Other	uv_exposure	time_in_daylight_min	number_of_falls	blood_alcohol_percent	alcoholic_beverages	insulin_delivery_iu	toothbrushing	handwashing	water_temperature	underwater_depth_m
        section	Sleep	lines
        line	Total	sleep.totalDuration	duration								0
        line	Bedtime	sleep.bedtime	text								0
        line	Wake	sleep.wakeTime	text								0
        line	In Bed	sleep.inBedTime	duration								0
        line	Deep	sleep.deepSleep	duration								0
        line	REM	sleep.remSleep	duration								0
        line	Core	sleep.coreSleep	duration								0
        line	Awake	sleep.awakeTime	duration								0
        samples	sleep.sleepStages	Sleep Stages Timeline ({n} intervals)	Time|startDate|HH:mm||	Stage|stage|text||	Duration|durationSeconds|duration||
        section	Activity	lines
        line	Steps	activity.steps	#,##0								0
        line	Active Calories	activity.activeCalories	#,##0	 kcal							0
        line	Basal Energy	activity.basalEnergyBurned	#,##0	 kcal							0
        line	Exercise	activity.exerciseMinutes	0	 min							0
        line	Stand Time	activity.standTimeMinutes	0.0	 min							0
        line	Stand Hours	activity.standHours	#,##0								0
        line	Flights Climbed	activity.flightsClimbed	#,##0								0
        line	Walking/Running Distance	activity.walkingRunningDistanceKm	0.00	 km							0
        line	Cycling Distance	activity.cyclingDistanceKm	0.00	 km							0
        line	Swimming Distance	activity.swimmingDistance	0	 m							0
        line	Swimming Strokes	activity.swimmingStrokes	#,##0								0
        line	Wheelchair Pushes	activity.pushCount	#,##0								0
        line	Cardio Fitness (VO2 Max)	activity.vo2Max	0.0	 mL/kg/min							0
        sub	Source measurement	activity.vo2MaxSourceStartDate	text						activity.vo2MaxCarriedForward	 (carried forward)	0
        sub	Source end	activity.vo2MaxSourceEndDate	text								0
        sub	Source UUID	activity.vo2MaxSourceUUID	text								0
        sub	Age at day start	activity.vo2MaxAgeSeconds	0	 seconds							0
        line	Wheelchair Distance	activity.wheelchairDistanceKm	0.00	 km							0
        line	Downhill Snow Distance	activity.downhillSnowSportsDistanceKm	0.00	 km							0
        line	Move Minutes	activity.moveMinutes	0	 min							0
        line	Physical Effort	activity.physicalEffort	0.0								0
        section	Heart	lines
        line	Resting HR	heart.restingHeartRate	0	 bpm							0
        line	Walking HR Average	heart.walkingHeartRateAverage	0	 bpm							0
        line	Average HR	heart.averageHeartRate	0	 bpm							0
        line	Min HR	heart.heartRateMin	0	 bpm							0
        line	Max HR	heart.heartRateMax	0	 bpm							0
        line	HRV	heart.hrv	0.0	 ms							0
        samples	heart.heartRateSamples	Heart Rate Samples ({n} readings)	Time|timestamp|HH:mm||	BPM|value|0||
        samples	heart.hrvSamples	HRV Samples ({n} readings)	Time|timestamp|HH:mm||	ms|value|0.0||
        line	Heart Rate Recovery	heart.heartRateRecovery	0	 bpm							0
        line	AFib Burden	heart.atrialFibrillationBurdenPercent	0.0	%							0
        section	Vitals	lines
        line	Respiratory Rate	vitals.respiratoryRateAvg	0.0	 breaths/min		vitals.respiratoryRateMin	vitals.respiratoryRateMax				0
        line	SpO2	vitals.bloodOxygenAvg	truncate	%	100	vitals.bloodOxygenMin	vitals.bloodOxygenMax	%			0
        line	Body Temperature	vitals.bodyTemperatureAvg	0.0	°C		vitals.bodyTemperatureMin	vitals.bodyTemperatureMax	°C			0
        line	Blood Pressure	vitals.bloodPressureSystolicAvg,vitals.bloodPressureDiastolicAvg	0	 mmHg		vitals.bloodPressureSystolicMin,vitals.bloodPressureDiastolicMin	vitals.bloodPressureSystolicMax,vitals.bloodPressureDiastolicMax				0
        line	Blood Glucose	vitals.bloodGlucoseAvg	0.0	 mg/dL		vitals.bloodGlucoseMin	vitals.bloodGlucoseMax				0
        samples	vitals.bloodPressureSamples	Blood Pressure Samples ({n} readings)	Time|timestamp|HH:mm||	Systolic|systolic|0.0| mmHg|	Diastolic|diastolic|0.0| mmHg|
        samples	vitals.bloodOxygenSamples	Blood Oxygen Samples ({n} readings)	Time|timestamp|HH:mm||	SpO2|value|0.0|%|100
        samples	vitals.bloodGlucoseSamples	Blood Glucose Samples ({n} readings)	Time|timestamp|HH:mm||	mg/dL|value|0.0||
        samples	vitals.respiratoryRateSamples	Respiratory Rate Samples ({n} readings)	Time|timestamp|HH:mm||	breaths/min|value|0.0||
        line	Basal Body Temperature	vitals.basalBodyTemperature	0.0								0
        line	Wrist Temperature	vitals.wristTemperature	0.00								0
        line	Electrodermal Activity	vitals.electrodermalActivity	0.00								0
        line	Forced Vital Capacity	vitals.forcedVitalCapacityL	0.00	 L							0
        line	FEV1	vitals.fev1L	0.00	 L							0
        line	Peak Expiratory Flow	vitals.peakExpiratoryFlow	0.0								0
        line	Inhaler Usage	vitals.inhalerUsage	0								0
        section	Body	lines
        line	Weight	body.weight	0.0	 kg							0
        line	Height	body.height	0.0	 cm	100						0
        line	BMI	body.bmi	0.0								0
        line	Body Fat	body.bodyFatPercentage	0.0	%	100						0
        line	Lean Body Mass	body.leanBodyMass	0.0	 kg							0
        line	Waist Circumference	body.waistCircumference	0.0	 cm							0
        section	Nutrition	lines
        line	Calories	nutrition.dietaryEnergy	#,##0	 kcal							0
        line	Protein	nutrition.protein	0.0	 g							0
        line	Carbohydrates	nutrition.carbohydrates	0.0	 g							0
        line	Fat	nutrition.fat	0.0	 g							0
        line	Saturated Fat	nutrition.saturatedFat	0.0	 g							0
        line	Fiber	nutrition.fiber	0.0	 g							0
        line	Sugar	nutrition.sugar	0.0	 g							0
        line	Sodium	nutrition.sodium	#,##0	 mg							0
        line	Cholesterol	nutrition.cholesterol	0.0	 mg							0
        line	Water	nutrition.water	0.00	 L							0
        line	Caffeine	nutrition.caffeine	0.0	 mg							0
        line	Monounsaturated Fat	nutrition.monounsaturatedFat	0.0	 g							0
        line	Polyunsaturated Fat	nutrition.polyunsaturatedFat	0.0	 g							0
        section	Mindfulness	lines
        line	Mindful Minutes	mindfulness.mindfulMinutes	0	 min							0
        line	Sessions	mindfulness.mindfulSessions	0								0
        blank
        line	Average Mood	mindfulness.averageValence	mood_percent	%							1
        line	Daily Mood Entries	mindfulness.dailyMoodCount	0								0	mindfulness.averageDailyMoodValence	mood_percent	 ({x}% average)
        line	Momentary Emotions	mindfulness.momentaryEmotionCount	0								0
        line	State of Mind Entries	mindfulness.stateOfMindCount	0								0
        line	Emotions/Moods	mindfulness.emotionLabels	list								0
        line	Associated With	mindfulness.associations	list								0
        entries	Mood Entries	mindfulness.stateOfMindEntries	5	- **{displayTime}** ({kind}): {valencePercent}% — {labels}
        section	Mobility	lines
        line	Walking Speed	mobility.walkingSpeed	0.0	 km/h	3.6						0
        line	Step Length	mobility.walkingStepLength	0.0	 cm	100						0
        line	Double Support	mobility.walkingDoubleSupportPercentage	0.0	%	100						0
        line	Walking Asymmetry	mobility.walkingAsymmetryPercentage	0.0	%	100						0
        line	Stair Ascent Speed	mobility.stairAscentSpeed	0.0	 km/h	3.6						0
        line	Stair Descent Speed	mobility.stairDescentSpeed	0.0	 km/h	3.6						0
        line	6-Min Walk Distance	mobility.sixMinuteWalkDistance	0	 m							0
        line	Walking Steadiness	mobility.walkingSteadinessPercent	0.0	%							0
        line	Running Speed	mobility.runningSpeed	0.00								0
        line	Running Stride Length	mobility.runningStrideLengthM	0.00	 m							0
        line	Running Ground Contact	mobility.runningGroundContactMs	0	 ms							0
        line	Running Vertical Oscillation	mobility.runningVerticalOscillationCm	0.0	 cm							0
        line	Running Power	mobility.runningPowerW	0	 W							0
        section	Hearing	lines
        line	Headphone Audio Level	hearing.headphoneAudioLevel	0.0	 dB							0
        line	Environmental Sound Level	hearing.environmentalSoundLevel	0.0	 dB							0
        section	Workouts	layout
        section	Reproductive Health	plain	Reproductive Health
        section	Cycling Performance	plain	Cycling
        section	Vitamins	plain	Vitamins
        section	Minerals	plain	Minerals
        section	Symptoms	plain	Symptoms
        section	Medications	layout
        section	Other	plain	Other
        section	Lossless Health Records	layout
        note-rule	sum, duration_sum, count	Sum the daily values in the period. Daily averages divide by days with data, not calendar days.
        note-rule	average	Average the exported daily aggregate values; recompute from granular samples in a future roll-up engine when those samples are available.
        note-rule	latest with primary average	Daily value is the latest sample for that day; period summaries average daily values while also preserving the latest value.
        note-rule	latest with primary latest	Use the latest daily value as the headline period value, with min/max/average for trend context.
        note-rule	latest, VO2 provenance (the four text keys)	Keep the latest provenance value and report value counts across captured days.
        note-rule	maximum	Use the maximum of exported daily maxima for the period maximum.
        note-rule	minimum	Use the minimum of exported daily minima for the period minimum.
        note-rule	weighted_average	Daily workout values are duration-weighted. Period roll-ups should recompute from workout details when present; otherwise average daily values.
        note-rule	list	Merge list values across days and keep occurrence counts for each value.
        note-rule	category_latest	Keep the latest category value and counts for every category value seen in the period.
        note-rule	first_time, last_time	Summarize the time-of-day values across days; keep dates separate from clock-time calculations.
        note-key	raw_capture_status	Preserve capture status by day and report value counts when a period contains more than one value.
        note-key	raw_record_count	Sum source records across captured daily archives; preserve missing legacy days as unknown.
        note-key	raw_query_failure_count	Sum failed queries across captured daily archives; preserve missing legacy days as unknown.
        note-key	raw_integrity_warning_count	Sum integrity warnings across captured daily archives; preserve missing legacy days as unknown.
        note-key	raw_record_schema	Preserve record schema identifiers by day and report value counts when a period contains more than one value.
        note-key	raw_record_schema_version	Preserve record schema versions by day and report value counts when a period contains more than one value.
        rollup	markdown_intro	Generated from {days_counted} HealthKit daily aggregate snapshots in this {rollup_period} period.
        rollup	markdown_rule_source	`_healthmd_data_dictionary.json` schema v{rollup_rules_version}
        rollup	markdown_notes_title	Roll-up notes
        rollup	bases_body	Structured roll-up summary for Obsidian Bases. Query `rollup_metrics` and top-level period fields from the YAML frontmatter.
        rollup-note	Missing daily values are ignored and reported through the days-counted columns.
        rollup-note	Daily averages divide by days with data, not by calendar days.
        rollup-note	Weighted workout metrics use daily workout duration when available, then fall back to unweighted daily values.
        rollup-note	Summary files are derived artifacts and can be regenerated from HealthKit daily aggregates plus the data dictionary.
        """#
}
