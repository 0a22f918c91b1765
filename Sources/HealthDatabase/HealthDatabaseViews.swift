/// The views for the common questions. One statement each, so that a reader of the schema finds them whole, and without
/// SQLite's own date functions, since DuckDB runs the text of a view in its own dialect.
enum HealthDatabaseViews {
    static let script = """
        CREATE VIEW daily_metrics AS
        SELECT m.date, d.starts_at AS time, m.key, k.name, k.category, m.value, m.text, m.unit
        FROM metrics m JOIN days d ON d.date = m.date LEFT JOIN metric_definitions k ON k.key = m.key;

        CREATE VIEW daily_steps AS
        SELECT d.date, d.starts_at AS time, s.value AS steps, w.value AS walking_running_km, f.value AS flights_climbed
        FROM days d
        JOIN metrics s ON s.date = d.date AND s.key = 'steps'
        LEFT JOIN metrics w ON w.date = d.date AND w.key = 'walking_running_km'
        LEFT JOIN metrics f ON f.date = d.date AND f.key = 'flights_climbed';

        CREATE VIEW sleep_nights AS
        SELECT d.date, d.starts_at AS time, t.value AS total_hours, p.value AS deep_hours, r.value AS rem_hours,
            c.value AS core_hours, a.value AS awake_hours, i.value AS in_bed_hours, b.text AS bedtime, w.text AS wake_time
        FROM days d
        JOIN metrics t ON t.date = d.date AND t.key = 'sleep_total_hours'
        LEFT JOIN metrics p ON p.date = d.date AND p.key = 'sleep_deep_hours'
        LEFT JOIN metrics r ON r.date = d.date AND r.key = 'sleep_rem_hours'
        LEFT JOIN metrics c ON c.date = d.date AND c.key = 'sleep_core_hours'
        LEFT JOIN metrics a ON a.date = d.date AND a.key = 'sleep_awake_hours'
        LEFT JOIN metrics i ON i.date = d.date AND i.key = 'sleep_in_bed_hours'
        LEFT JOIN metrics b ON b.date = d.date AND b.key = 'sleep_bedtime'
        LEFT JOIN metrics w ON w.date = d.date AND w.key = 'sleep_wake';

        CREATE VIEW resting_heart_rate AS
        SELECT m.date, d.starts_at AS time, m.value AS bpm,
            avg(m.value) OVER (ORDER BY m.date ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS mean_of_seven
        FROM metrics m JOIN days d ON d.date = m.date WHERE m.key = 'resting_heart_rate';

        CREATE VIEW daily_heart AS
        SELECT d.date, d.starts_at AS time, a.value AS average_bpm, l.value AS minimum_bpm, h.value AS maximum_bpm,
            r.value AS resting_bpm, v.value AS hrv_ms
        FROM days d
        LEFT JOIN metrics a ON a.date = d.date AND a.key = 'average_heart_rate'
        LEFT JOIN metrics l ON l.date = d.date AND l.key = 'heart_rate_min'
        LEFT JOIN metrics h ON h.date = d.date AND h.key = 'heart_rate_max'
        LEFT JOIN metrics r ON r.date = d.date AND r.key = 'resting_heart_rate'
        LEFT JOIN metrics v ON v.date = d.date AND v.key = 'hrv_ms'
        WHERE coalesce(a.value, l.value, h.value, r.value, v.value) IS NOT NULL;

        CREATE VIEW heart_rate_by_hour AS
        SELECT date, substr(time, 1, 13) || ':00:00.000Z' AS time, count(*) AS samples, min(value) AS minimum_bpm,
            avg(value) AS average_bpm, max(value) AS maximum_bpm
        FROM samples WHERE metric = 'heart_rate' GROUP BY date, substr(time, 1, 13);

        CREATE VIEW body_weight AS
        SELECT m.date, d.starts_at AS time, m.value AS kg, f.value AS body_fat_percent
        FROM metrics m JOIN days d ON d.date = m.date
        LEFT JOIN metrics f ON f.date = m.date AND f.key = 'body_fat_percent'
        WHERE m.key = 'weight_kg';

        CREATE VIEW workouts_per_week AS
        SELECT c.week, w.sport, count(*) AS workouts, sum(w.seconds) / 60.0 AS minutes,
            sum(w.distance_m) / 1000.0 AS distance_km, sum(w.energy_kcal) AS energy_kcal
        FROM workouts w JOIN calendar c ON c.date = w.date GROUP BY c.week, w.sport;

        CREATE VIEW monthly_metrics AS
        SELECT substr(m.date, 1, 7) AS month, m.key, k.name, m.unit, count(m.value) AS days, sum(m.value) AS total,
            avg(m.value) AS mean, min(m.value) AS minimum, max(m.value) AS maximum
        FROM metrics m LEFT JOIN metric_definitions k ON k.key = m.key
        WHERE m.value IS NOT NULL GROUP BY substr(m.date, 1, 7), m.key, k.name, m.unit;

        CREATE VIEW missing_days AS
        SELECT c.date, CASE
                WHEN EXISTS (SELECT 1 FROM documents f WHERE f.date = c.date AND f.state = 'failed') THEN 'failed'
                ELSE 'absent' END AS reason
        FROM calendar c LEFT JOIN days d ON d.date = c.date WHERE d.date IS NULL;

        CREATE VIEW stale_days AS
        SELECT d.date, p.state AS document_state, p.failure_code, p.path
        FROM days d JOIN documents p ON p.path = d.document_path WHERE p.state <> 'read';
        """
}
