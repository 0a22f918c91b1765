// swift-format-ignore-file: a generated table; edit Tools/generate-registry.py instead.

/// Every metric, output key, enumeration and workout type as data.
///
/// Made from metrics.json by `Tools/generate-registry.py`; a test holds it to that file.
enum RegistryTable {
    /// One fact a line, fields separated by tabs, the first field naming the kind.
    static let text = #"""
        categories	Sleep	Activity	Heart	Respiratory	Vitals	Body Measurements	Mobility	Cycling	Nutrition	Vitamins	Minerals	Hearing	Mindfulness	Reproductive Health	Symptoms	Clinical Records	Clinical Documents	Vision	Medications	Other	Workouts
        metric	sleep_total	Total Sleep	Sleep	hours	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis		sleep.sleepStages	s
        output	sleep_total_hours	hours	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	sleep.totalDuration	s
        json	sleep.totalDurationFormatted	text
        csv	Sleep	Total Duration	seconds	5	sleep.totalDuration	double
        metric	sleep_bedtime	Bedtime	Sleep	time	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_bedtime	time	first_time	time_of_day	earliest_time,latest_time,average_time_of_day,days_counted
        json	sleep.bedtime	HH:mm
        json	sleep.bedtimeISO	datetime
        csv	Sleep	Bedtime	time	5	sleep.bedtime	text
        metric	sleep_wake	Wake Time	Sleep	time	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_wake	time	last_time	time_of_day	earliest_time,latest_time,average_time_of_day,days_counted
        json	sleep.wakeTime	HH:mm
        json	sleep.wakeTimeISO	datetime
        csv	Sleep	Wake Time	time	5	sleep.wakeTime	text
        metric	sleep_deep	Deep Sleep	Sleep	hours	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_deep_hours	hours	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	sleep.deepSleep	s
        json	sleep.deepSleepFormatted	text
        csv	Sleep	Deep Sleep	seconds	5	sleep.deepSleep	double
        metric	sleep_rem	REM Sleep	Sleep	hours	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_rem_hours	hours	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	sleep.remSleep	s
        json	sleep.remSleepFormatted	text
        csv	Sleep	REM Sleep	seconds	5	sleep.remSleep	double
        metric	sleep_core	Core Sleep	Sleep	hours	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_core_hours	hours	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	sleep.coreSleep	s
        json	sleep.coreSleepFormatted	text
        csv	Sleep	Core Sleep	seconds	5	sleep.coreSleep	double
        metric	sleep_awake	Awake During Sleep	Sleep	hours	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_awake_hours	hours	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	sleep.awakeTime	s
        json	sleep.awakeTimeFormatted	text
        csv	Sleep	Awake Time	seconds	5	sleep.awakeTime	double
        metric	sleep_in_bed	Time in Bed	Sleep	hours	HKCategoryTypeIdentifierSleepAnalysis	category	duration		0	enabled		Record	HKCategoryTypeIdentifierSleepAnalysis
        output	sleep_in_bed_hours	hours	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	sleep.inBedTime	s
        json	sleep.inBedTimeFormatted	text
        csv	Sleep	In Bed Time	seconds	5	sleep.inBedTime	double
        metric	steps	Steps	Activity	steps	HKQuantityTypeIdentifierStepCount	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierStepCount
        output	steps	steps	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.steps	count
        csv	Activity	Steps	count	5	activity.steps	integer
        metric	distance_walking_running	Walking + Running Distance	Activity	km	HKQuantityTypeIdentifierDistanceWalkingRunning	quantity	cumulative	m	0	enabled		Record	HKQuantityTypeIdentifierDistanceWalkingRunning
        output	walking_running_km	km	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.walkingRunningDistance	m
        json	activity.walkingRunningDistanceKm	km
        csv	Activity	Walking Running Distance	meters	5	activity.walkingRunningDistance	double
        output	walking_running_mi	mi	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.walkingRunningDistance	m
        json	activity.walkingRunningDistanceMi	mi
        metric	distance_swimming	Swimming Distance	Activity	m	HKQuantityTypeIdentifierDistanceSwimming	quantity	cumulative	m	0	enabled		Record	HKQuantityTypeIdentifierDistanceSwimming
        output	swimming_m	m	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.swimmingDistance	m
        csv	Activity	Swimming Distance	meters	5	activity.swimmingDistance	double
        metric	distance_wheelchair	Wheelchair Distance	Activity	km	HKQuantityTypeIdentifierDistanceWheelchair	quantity	cumulative	m	0	enabled		Record	HKQuantityTypeIdentifierDistanceWheelchair
        output	wheelchair_km	km	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.wheelchairDistance	m
        json	activity.wheelchairDistanceKm	km
        csv	Activity	Wheelchair Distance	meters	5	activity.wheelchairDistance	double
        output	wheelchair_mi	mi	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.wheelchairDistance	m
        json	activity.wheelchairDistanceMi	mi
        metric	distance_downhill_snow	Downhill Snow Sports Distance	Activity	km	HKQuantityTypeIdentifierDistanceDownhillSnowSports	quantity	cumulative	m	0	enabled		Record	HKQuantityTypeIdentifierDistanceDownhillSnowSports
        output	downhill_snow_km	km	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.downhillSnowSportsDistance	m
        json	activity.downhillSnowSportsDistanceKm	km
        csv	Activity	Downhill Snow Sports Distance	meters	5	activity.downhillSnowSportsDistance	double
        output	downhill_snow_mi	mi	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.downhillSnowSportsDistance	m
        json	activity.downhillSnowSportsDistanceMi	mi
        metric	active_energy	Active Energy	Activity	kcal	HKQuantityTypeIdentifierActiveEnergyBurned	quantity	cumulative	kcal	0	enabled		Record	HKQuantityTypeIdentifierActiveEnergyBurned
        output	active_calories	kcal	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.activeCalories	kcal
        csv	Activity	Active Calories	kcal	5	activity.activeCalories	double
        metric	basal_energy	Resting Energy	Activity	kcal	HKQuantityTypeIdentifierBasalEnergyBurned	quantity	cumulative	kcal	0	enabled		Record	HKQuantityTypeIdentifierBasalEnergyBurned
        output	basal_calories	kcal	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.basalEnergyBurned	kcal
        csv	Activity	Basal Energy	kcal	5	activity.basalEnergyBurned	double
        metric	exercise_time	Exercise Time	Activity	min	HKQuantityTypeIdentifierAppleExerciseTime	quantity	cumulative	min	0	enabled		Record	HKQuantityTypeIdentifierAppleExerciseTime
        output	exercise_minutes	min	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.exerciseMinutes	min
        csv	Activity	Exercise Minutes	minutes	5	activity.exerciseMinutes	double
        metric	stand_time	Stand Time	Activity	min	HKQuantityTypeIdentifierAppleStandTime	quantity	cumulative	min	0	enabled		Record	HKQuantityTypeIdentifierAppleStandTime
        output	stand_time_minutes	min	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	activity.standTimeMinutes	min
        csv	Activity	Stand Time	minutes	5	activity.standTimeMinutes	double
        metric	stand_hours	Stand Hours	Activity	hours	HKCategoryTypeIdentifierAppleStandHour	category	count		0	enabled		Record	HKCategoryTypeIdentifierAppleStandHour
        output	stand_hours	hours	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.standHours	hours
        csv	Activity	Stand Hours	hours	5	activity.standHours	integer
        metric	move_time	Move Time	Activity	min	HKQuantityTypeIdentifierAppleMoveTime	quantity	cumulative	min	0	enabled		Record	HKQuantityTypeIdentifierAppleMoveTime
        output	move_minutes	min	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.moveMinutes	min
        csv	Activity	Move Time	min	5	activity.moveMinutes	integer
        metric	flights_climbed	Flights Climbed	Activity	floors	HKQuantityTypeIdentifierFlightsClimbed	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierFlightsClimbed
        output	flights_climbed	floors	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.flightsClimbed	count
        csv	Activity	Flights Climbed	count	5	activity.flightsClimbed	integer
        metric	swimming_strokes	Swimming Strokes	Activity	strokes	HKQuantityTypeIdentifierSwimmingStrokeCount	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierSwimmingStrokeCount
        output	swimming_strokes	strokes	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.swimmingStrokes	count
        csv	Activity	Swimming Strokes	count	5	activity.swimmingStrokes	integer
        metric	push_count	Wheelchair Pushes	Activity	pushes	HKQuantityTypeIdentifierPushCount	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierPushCount
        output	wheelchair_pushes	pushes	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	activity.pushCount	count
        csv	Activity	Wheelchair Pushes	count	5	activity.pushCount	integer
        metric	vo2_max	Cardio Fitness	Activity	mL/kg/min	HKQuantityTypeIdentifierVO2Max	quantity	mostRecent	mL/min·kg	0	enabled		Record	HKQuantityTypeIdentifierVO2Max
        output	vo2_max	mL/kg/min	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	activity.vo2Max	mL/kg/min
        csv	Activity	Cardio Fitness (VO2 Max)	mL/kg/min	6	activity.vo2Max	double
        output	vo2_max_age_seconds	seconds	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		0
        json	activity.vo2MaxAgeSeconds	s
        csv	Activity	VO2 Max Age	seconds	6	activity.vo2MaxAgeSeconds	integer
        output	vo2_max_carried_forward	boolean	latest	latest	latest,value_counts,days_counted
        json	activity.vo2MaxCarriedForward	boolean
        csv	Activity	VO2 Max Carried Forward	boolean	6	activity.vo2MaxCarriedForward	text
        output	vo2_max_source_end	datetime	latest	latest	latest,value_counts,days_counted
        json	activity.vo2MaxSourceEndDate	datetime
        csv	Activity	VO2 Max Source End	datetime	6	activity.vo2MaxSourceEndDate	text
        output	vo2_max_source_start	datetime	latest	latest	latest,value_counts,days_counted
        json	activity.vo2MaxSourceStartDate	datetime
        csv	Activity	VO2 Max Source Start	datetime	6	activity.vo2MaxSourceStartDate	text
        output	vo2_max_source_uuid	uuid	latest	latest	latest,value_counts,days_counted
        json	activity.vo2MaxSourceUUID	uuid
        csv	Activity	VO2 Max Source UUID	uuid	6	activity.vo2MaxSourceUUID	text
        metric	physical_effort	Physical Effort	Activity	kcal/hr/kg	HKQuantityTypeIdentifierPhysicalEffort	quantity	discreteAvg	kcal/hr·kg	0	enabled		Record	HKQuantityTypeIdentifierPhysicalEffort
        output	physical_effort	kcal/hr/kg	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	activity.physicalEffort	kcal/hr/kg
        csv	Activity	Physical Effort	kcal/hr/kg	5	activity.physicalEffort	decimals	1
        metric	activity_summary	Activity Summary Rings and Goals	Activity	summary	HKActivitySummaryTypeIdentifier	category	mostRecent		1	enabled		ActivitySummary
        metric	activity_move_mode	Activity Move Mode	Activity	profile value	HKCharacteristicTypeIdentifierActivityMoveMode	category	mostRecent		1	enabled
        metric	cross_country_skiing_speed	Cross-Country Skiing Speed	Activity	m/s	HKQuantityTypeIdentifierCrossCountrySkiingSpeed	quantity	discreteAvg	m/s	1	enabled	18	Record	HKQuantityTypeIdentifierCrossCountrySkiingSpeed
        metric	distance_cross_country_skiing	Cross-Country Skiing Distance	Activity	m	HKQuantityTypeIdentifierDistanceCrossCountrySkiing	quantity	cumulative	m	1	enabled	18	Record	HKQuantityTypeIdentifierDistanceCrossCountrySkiing
        metric	paddle_sports_speed	Paddle Sports Speed	Activity	m/s	HKQuantityTypeIdentifierPaddleSportsSpeed	quantity	discreteAvg	m/s	1	enabled	18	Record	HKQuantityTypeIdentifierPaddleSportsSpeed
        metric	distance_paddle_sports	Paddle Sports Distance	Activity	m	HKQuantityTypeIdentifierDistancePaddleSports	quantity	cumulative	m	1	enabled	18	Record	HKQuantityTypeIdentifierDistancePaddleSports
        metric	rowing_speed	Rowing Speed	Activity	m/s	HKQuantityTypeIdentifierRowingSpeed	quantity	discreteAvg	m/s	1	enabled	18	Record	HKQuantityTypeIdentifierRowingSpeed
        metric	distance_rowing	Rowing Distance	Activity	m	HKQuantityTypeIdentifierDistanceRowing	quantity	cumulative	m	1	enabled	18	Record	HKQuantityTypeIdentifierDistanceRowing
        metric	distance_skating_sports	Skating Sports Distance	Activity	m	HKQuantityTypeIdentifierDistanceSkatingSports	quantity	cumulative	m	1	enabled	18	Record	HKQuantityTypeIdentifierDistanceSkatingSports
        metric	workout_effort_score	Workout Effort Score	Activity	appleEffortScore	HKQuantityTypeIdentifierWorkoutEffortScore	quantity	discreteAvg	appleEffortScore	1	enabled	18	Record	HKQuantityTypeIdentifierWorkoutEffortScore
        metric	estimated_workout_effort_score	Estimated Workout Effort Score	Activity	appleEffortScore	HKQuantityTypeIdentifierEstimatedWorkoutEffortScore	quantity	discreteAvg	appleEffortScore	1	enabled	18	Record	HKQuantityTypeIdentifierEstimatedWorkoutEffortScore
        metric	nike_fuel	Nike Fuel	Activity	count	HKQuantityTypeIdentifierNikeFuel	quantity	cumulative	count	1	enabled		Record	HKQuantityTypeIdentifierNikeFuel
        metric	heart_rate_avg	Average Heart Rate	Heart	bpm	HKQuantityTypeIdentifierHeartRate	quantity	discreteAvg	count/min	0	enabled		Record	HKQuantityTypeIdentifierHeartRate		heart.heartRateSamples	bpm
        output	average_heart_rate	bpm	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	heart.averageHeartRate	bpm
        csv	Heart	Average Heart Rate	bpm	5	heart.averageHeartRate	double
        metric	heart_rate_min	Minimum Heart Rate	Heart	bpm	HKQuantityTypeIdentifierHeartRate	quantity	discreteMin	count/min	0	enabled		Record	HKQuantityTypeIdentifierHeartRate
        output	heart_rate_min	bpm	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		0
        json	heart.heartRateMin	bpm
        csv	Heart	Min Heart Rate	bpm	5	heart.heartRateMin	double
        metric	heart_rate_max	Maximum Heart Rate	Heart	bpm	HKQuantityTypeIdentifierHeartRate	quantity	discreteMax	count/min	0	enabled		Record	HKQuantityTypeIdentifierHeartRate
        output	heart_rate_max	bpm	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		0
        json	heart.heartRateMax	bpm
        csv	Heart	Max Heart Rate	bpm	5	heart.heartRateMax	double
        metric	resting_heart_rate	Resting Heart Rate	Heart	bpm	HKQuantityTypeIdentifierRestingHeartRate	quantity	mostRecent	count/min	0	enabled		Record	HKQuantityTypeIdentifierRestingHeartRate
        output	resting_heart_rate	bpm	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	heart.restingHeartRate	bpm
        csv	Heart	Resting Heart Rate	bpm	5	heart.restingHeartRate	double
        metric	walking_heart_rate	Walking Heart Rate Average	Heart	bpm	HKQuantityTypeIdentifierWalkingHeartRateAverage	quantity	mostRecent	count/min	0	enabled		Record	HKQuantityTypeIdentifierWalkingHeartRateAverage
        output	walking_heart_rate	bpm	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	heart.walkingHeartRateAverage	bpm
        csv	Heart	Walking Heart Rate Average	bpm	5	heart.walkingHeartRateAverage	double
        metric	hrv	Heart Rate Variability	Heart	ms	HKQuantityTypeIdentifierHeartRateVariabilitySDNN	quantity	discreteAvg	ms	0	enabled		Record	HKQuantityTypeIdentifierHeartRateVariabilitySDNN		heart.hrvSamples	ms
        output	hrv_ms	ms	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	heart.hrv	ms
        csv	Heart	HRV	ms	5	heart.hrv	double
        metric	heart_rate_recovery	Heart Rate Recovery	Heart	bpm	HKQuantityTypeIdentifierHeartRateRecoveryOneMinute	quantity	mostRecent	count/min	0	enabled		Record	HKQuantityTypeIdentifierHeartRateRecoveryOneMinute
        output	heart_rate_recovery	bpm	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	heart.heartRateRecovery	bpm
        csv	Heart	Heart Rate Recovery	bpm	5	heart.heartRateRecovery	decimals	0
        metric	afib_burden	Atrial Fibrillation Burden	Heart	%	HKQuantityTypeIdentifierAtrialFibrillationBurden	quantity	mostRecent	%	0	enabled		Record	HKQuantityTypeIdentifierAtrialFibrillationBurden
        output	afib_burden_percent	percent	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	heart.atrialFibrillationBurdenPercent	percent
        csv	Heart	AFib Burden	%	5	heart.atrialFibrillationBurdenPercent	decimals	1
        metric	peripheral_perfusion_index	Peripheral Perfusion Index	Heart	%	HKQuantityTypeIdentifierPeripheralPerfusionIndex	quantity	discreteAvg	%	1	enabled		Record	HKQuantityTypeIdentifierPeripheralPerfusionIndex
        metric	high_heart_rate_event	High Heart Rate Event	Heart		HKCategoryTypeIdentifierHighHeartRateEvent	category	count		1	enabled	12.2	Record	HKCategoryTypeIdentifierHighHeartRateEvent
        metric	low_heart_rate_event	Low Heart Rate Event	Heart		HKCategoryTypeIdentifierLowHeartRateEvent	category	count		1	enabled	12.2	Record	HKCategoryTypeIdentifierLowHeartRateEvent
        metric	irregular_heart_rhythm_event	Irregular Heart Rhythm Event	Heart		HKCategoryTypeIdentifierIrregularHeartRhythmEvent	category	count		1	enabled	12.2	Record	HKCategoryTypeIdentifierIrregularHeartRhythmEvent
        metric	low_cardio_fitness_event	Low Cardio Fitness Event	Heart		HKCategoryTypeIdentifierLowCardioFitnessEvent	category	count		1	enabled	14.3	Record	HKCategoryTypeIdentifierLowCardioFitnessEvent
        metric	hypertension_event	Hypertension Event	Heart		HKCategoryTypeIdentifierHypertensionEvent	category	count		1	enabled	26.2	Record	HKCategoryTypeIdentifierHypertensionEvent
        metric	electrocardiograms	Electrocardiograms	Heart	waveforms	HKDataTypeIdentifierElectrocardiogram	category	count		1	enabled	14
        metric	heartbeat_series	Heartbeat Series	Heart	series	HKDataTypeIdentifierHeartbeatSeries	category	count		1	enabled	13	Record	HKQuantityTypeIdentifierHeartRateVariabilitySDNN
        metric	respiratory_rate	Respiratory Rate	Respiratory	breaths/min	HKQuantityTypeIdentifierRespiratoryRate	quantity	discreteAvg	count/min	0	enabled		Record	HKQuantityTypeIdentifierRespiratoryRate		vitals.respiratoryRateSamples	breaths/min
        output	respiratory_rate	breaths/min	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.respiratoryRate	breaths/min
        output	respiratory_rate_avg	breaths/min	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.respiratoryRateAvg	breaths/min
        csv	Vitals	Respiratory Rate Avg	breaths/min	5	vitals.respiratoryRateAvg	double
        output	respiratory_rate_max	breaths/min	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		1
        json	vitals.respiratoryRateMax	breaths/min
        csv	Vitals	Respiratory Rate Max	breaths/min	5	vitals.respiratoryRateMax	double
        output	respiratory_rate_min	breaths/min	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		1
        json	vitals.respiratoryRateMin	breaths/min
        csv	Vitals	Respiratory Rate Min	breaths/min	5	vitals.respiratoryRateMin	double
        metric	blood_oxygen	Blood Oxygen	Respiratory	%	HKQuantityTypeIdentifierOxygenSaturation	quantity	discreteAvg	%	0	enabled		Record	HKQuantityTypeIdentifierOxygenSaturation		vitals.bloodOxygenSamples	ratio
        output	blood_oxygen	percent	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	vitals.bloodOxygen	ratio
        json	vitals.bloodOxygenPercent	percent
        output	blood_oxygen_avg	percent	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	vitals.bloodOxygenAvg	ratio
        json	vitals.bloodOxygenPercent	percent
        csv	Vitals	Blood Oxygen Avg	percent	5	vitals.bloodOxygenAvg	double		100
        output	blood_oxygen_max	percent	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		0
        json	vitals.bloodOxygenMax	ratio
        json	vitals.bloodOxygenMaxPercent	percent
        csv	Vitals	Blood Oxygen Max	percent	5	vitals.bloodOxygenMax	double		100
        output	blood_oxygen_min	percent	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		0
        json	vitals.bloodOxygenMin	ratio
        json	vitals.bloodOxygenMinPercent	percent
        csv	Vitals	Blood Oxygen Min	percent	5	vitals.bloodOxygenMin	double		100
        metric	forced_vital_capacity	Forced Vital Capacity	Respiratory	L	HKQuantityTypeIdentifierForcedVitalCapacity	quantity	mostRecent	L	0	enabled		Record	HKQuantityTypeIdentifierForcedVitalCapacity
        output	forced_vital_capacity_l	L	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	vitals.forcedVitalCapacityL	L
        csv	Vitals	Forced Vital Capacity	L	5	vitals.forcedVitalCapacityL	decimals	2
        metric	fev1	Forced Expiratory Volume (FEV1)	Respiratory	L	HKQuantityTypeIdentifierForcedExpiratoryVolume1	quantity	mostRecent	L	0	enabled		Record	HKQuantityTypeIdentifierForcedExpiratoryVolume1
        output	fev1_l	L	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	vitals.fev1L	L
        csv	Vitals	FEV1	L	5	vitals.fev1L	decimals	2
        metric	peak_expiratory_flow	Peak Expiratory Flow Rate	Respiratory	L/min	HKQuantityTypeIdentifierPeakExpiratoryFlowRate	quantity	mostRecent	L/min	0	enabled		Record	HKQuantityTypeIdentifierPeakExpiratoryFlowRate
        output	peak_expiratory_flow	L/min	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.peakExpiratoryFlow	L/min
        csv	Vitals	Peak Expiratory Flow	L/min	5	vitals.peakExpiratoryFlow	decimals	1
        metric	inhaler_usage	Inhaler Usage	Respiratory	uses	HKQuantityTypeIdentifierInhalerUsage	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierInhalerUsage
        output	inhaler_usage	uses	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	vitals.inhalerUsage	count
        csv	Vitals	Inhaler Usage	uses	5	vitals.inhalerUsage	decimals	0
        metric	sleeping_breathing_disturbances	Sleeping Breathing Disturbances	Respiratory	count	HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances	quantity	discreteAvg	count	1	enabled	18	Record	HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances
        metric	sleep_apnea_event	Sleep Apnea Event	Respiratory		HKCategoryTypeIdentifierSleepApneaEvent	category	count		1	enabled	18	Record	HKCategoryTypeIdentifierSleepApneaEvent
        metric	body_temperature	Body Temperature	Vitals	°C	HKQuantityTypeIdentifierBodyTemperature	quantity	discreteAvg	degC	0	enabled		Record	HKQuantityTypeIdentifierBodyTemperature
        output	body_temperature	°C	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.bodyTemperature	degC
        output	body_temperature_avg	°C	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.bodyTemperatureAvg	degC
        csv	Vitals	Body Temperature Avg	°C	5	vitals.bodyTemperatureAvg	double
        output	body_temperature_max	°C	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		1
        json	vitals.bodyTemperatureMax	degC
        csv	Vitals	Body Temperature Max	°C	5	vitals.bodyTemperatureMax	double
        output	body_temperature_min	°C	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		1
        json	vitals.bodyTemperatureMin	degC
        csv	Vitals	Body Temperature Min	°C	5	vitals.bodyTemperatureMin	double
        metric	basal_body_temperature	Basal Body Temperature	Vitals	°C	HKQuantityTypeIdentifierBasalBodyTemperature	quantity	mostRecent	degC	0	enabled		Record	HKQuantityTypeIdentifierBasalBodyTemperature
        output	basal_body_temperature	°C	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.basalBodyTemperature	degC
        csv	Vitals	Basal Body Temperature	°C	5	vitals.basalBodyTemperature	decimals	1
        metric	wrist_temperature	Wrist Temperature	Vitals	°C	HKQuantityTypeIdentifierAppleSleepingWristTemperature	quantity	mostRecent	degC	0	enabled		Record	HKQuantityTypeIdentifierAppleSleepingWristTemperature
        output	wrist_temperature	°C	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	vitals.wristTemperature	degC
        csv	Vitals	Wrist Temperature	°C	5	vitals.wristTemperature	decimals	2
        metric	blood_pressure_systolic	Blood Pressure (Systolic)	Vitals	mmHg	HKQuantityTypeIdentifierBloodPressureSystolic	quantity	discreteAvg	mmHg	0	enabled		Record	HKQuantityTypeIdentifierBloodPressureSystolic		vitals.bloodPressureSamples	mmHg
        output	blood_pressure_systolic	mmHg	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	vitals.bloodPressureSystolic	mmHg
        output	blood_pressure_systolic_avg	mmHg	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	vitals.bloodPressureSystolicAvg	mmHg
        csv	Vitals	Blood Pressure Systolic Avg	mmHg	5	vitals.bloodPressureSystolicAvg	double
        output	blood_pressure_systolic_max	mmHg	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		0
        json	vitals.bloodPressureSystolicMax	mmHg
        csv	Vitals	Blood Pressure Systolic Max	mmHg	5	vitals.bloodPressureSystolicMax	double
        output	blood_pressure_systolic_min	mmHg	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		0
        json	vitals.bloodPressureSystolicMin	mmHg
        csv	Vitals	Blood Pressure Systolic Min	mmHg	5	vitals.bloodPressureSystolicMin	double
        metric	blood_pressure_diastolic	Blood Pressure (Diastolic)	Vitals	mmHg	HKQuantityTypeIdentifierBloodPressureDiastolic	quantity	discreteAvg	mmHg	0	enabled		Record	HKQuantityTypeIdentifierBloodPressureDiastolic		vitals.bloodPressureSamples	mmHg
        output	blood_pressure_diastolic	mmHg	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	vitals.bloodPressureDiastolic	mmHg
        output	blood_pressure_diastolic_avg	mmHg	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	vitals.bloodPressureDiastolicAvg	mmHg
        csv	Vitals	Blood Pressure Diastolic Avg	mmHg	5	vitals.bloodPressureDiastolicAvg	double
        output	blood_pressure_diastolic_max	mmHg	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		0
        json	vitals.bloodPressureDiastolicMax	mmHg
        csv	Vitals	Blood Pressure Diastolic Max	mmHg	5	vitals.bloodPressureDiastolicMax	double
        output	blood_pressure_diastolic_min	mmHg	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		0
        json	vitals.bloodPressureDiastolicMin	mmHg
        csv	Vitals	Blood Pressure Diastolic Min	mmHg	5	vitals.bloodPressureDiastolicMin	double
        metric	blood_glucose	Blood Glucose	Vitals	mg/dL	HKQuantityTypeIdentifierBloodGlucose	quantity	discreteAvg	mg/dL	0	enabled		Record	HKQuantityTypeIdentifierBloodGlucose		vitals.bloodGlucoseSamples	mg/dL
        output	blood_glucose	mg/dL	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.bloodGlucose	mg/dL
        output	blood_glucose_avg	mg/dL	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	vitals.bloodGlucoseAvg	mg/dL
        csv	Vitals	Blood Glucose Avg	mg/dL	5	vitals.bloodGlucoseAvg	double
        output	blood_glucose_max	mg/dL	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		1
        json	vitals.bloodGlucoseMax	mg/dL
        csv	Vitals	Blood Glucose Max	mg/dL	5	vitals.bloodGlucoseMax	double
        output	blood_glucose_min	mg/dL	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		1
        json	vitals.bloodGlucoseMin	mg/dL
        csv	Vitals	Blood Glucose Min	mg/dL	5	vitals.bloodGlucoseMin	double
        metric	electrodermal_activity	Electrodermal Activity	Vitals	µS	HKQuantityTypeIdentifierElectrodermalActivity	quantity	mostRecent	mcS	0	enabled		Record	HKQuantityTypeIdentifierElectrodermalActivity
        output	electrodermal_activity	µS	latest	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	vitals.electrodermalActivity	uS
        csv	Vitals	Electrodermal Activity	µS	5	vitals.electrodermalActivity	decimals	2
        metric	weight	Weight	Body Measurements	kg	HKQuantityTypeIdentifierBodyMass	quantity	mostRecent	kg	0	enabled		Record	HKQuantityTypeIdentifierBodyMass
        output	weight_kg	kg	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	body.weight	kg
        csv	Body	Weight	kg	5	body.weight	double
        metric	height	Height	Body Measurements	cm	HKQuantityTypeIdentifierHeight	quantity	mostRecent	m	0	enabled		Record	HKQuantityTypeIdentifierHeight
        output	height_m	m	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		2
        json	body.height	m
        csv	Body	Height	m	5	body.height	double
        metric	bmi	Body Mass Index	Body Measurements	kg/m²	HKQuantityTypeIdentifierBodyMassIndex	quantity	mostRecent	count	0	enabled		Record	HKQuantityTypeIdentifierBodyMassIndex
        output	bmi	kg/m²	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	body.bmi	kg/m2
        csv	Body	BMI		5	body.bmi	double
        metric	body_fat	Body Fat Percentage	Body Measurements	%	HKQuantityTypeIdentifierBodyFatPercentage	quantity	mostRecent	%	0	enabled		Record	HKQuantityTypeIdentifierBodyFatPercentage
        output	body_fat_percent	percent	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	body.bodyFatPercentage	ratio
        json	body.bodyFatPercent	percent
        csv	Body	Body Fat Percentage	percent	5	body.bodyFatPercentage	double		100
        metric	lean_body_mass	Lean Body Mass	Body Measurements	kg	HKQuantityTypeIdentifierLeanBodyMass	quantity	mostRecent	kg	0	enabled		Record	HKQuantityTypeIdentifierLeanBodyMass
        output	lean_body_mass_kg	kg	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	body.leanBodyMass	kg
        csv	Body	Lean Body Mass	kg	5	body.leanBodyMass	double
        metric	waist_circumference	Waist Circumference	Body Measurements	cm	HKQuantityTypeIdentifierWaistCircumference	quantity	mostRecent	m	0	enabled		Record	HKQuantityTypeIdentifierWaistCircumference
        output	waist_circumference_cm	cm	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	body.waistCircumference	cm
        csv	Body	Waist Circumference	cm	5	body.waistCircumference	double
        metric	date_of_birth	Date of Birth	Body Measurements	profile value	HKCharacteristicTypeIdentifierDateOfBirth	category	mostRecent		1	enabled		Me		HKCharacteristicTypeIdentifierDateOfBirth
        metric	biological_sex	Biological Sex	Body Measurements	profile value	HKCharacteristicTypeIdentifierBiologicalSex	category	mostRecent		1	enabled		Me		HKCharacteristicTypeIdentifierBiologicalSex
        metric	blood_type	Blood Type	Body Measurements	profile value	HKCharacteristicTypeIdentifierBloodType	category	mostRecent		1	enabled		Me		HKCharacteristicTypeIdentifierBloodType
        metric	fitzpatrick_skin_type	Fitzpatrick Skin Type	Body Measurements	profile value	HKCharacteristicTypeIdentifierFitzpatrickSkinType	category	mostRecent		1	enabled		Me		HKCharacteristicTypeIdentifierFitzpatrickSkinType
        metric	wheelchair_use	Wheelchair Use	Body Measurements	profile value	HKCharacteristicTypeIdentifierWheelchairUse	category	mostRecent		1	enabled
        metric	walking_speed	Walking Speed	Mobility	km/h	HKQuantityTypeIdentifierWalkingSpeed	quantity	discreteAvg	m/s	0	enabled		Record	HKQuantityTypeIdentifierWalkingSpeed
        output	walking_speed	m/s	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	mobility.walkingSpeed	m/s
        csv	Mobility	Walking Speed	m/s	5	mobility.walkingSpeed	double
        metric	walking_step_length	Walking Step Length	Mobility	cm	HKQuantityTypeIdentifierWalkingStepLength	quantity	discreteAvg	m	0	enabled		Record	HKQuantityTypeIdentifierWalkingStepLength
        output	step_length_cm	cm	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	mobility.walkingStepLength	m
        csv	Mobility	Walking Step Length	meters	5	mobility.walkingStepLength	double
        metric	walking_double_support	Double Support Time	Mobility	%	HKQuantityTypeIdentifierWalkingDoubleSupportPercentage	quantity	discreteAvg	%	0	enabled		Record	HKQuantityTypeIdentifierWalkingDoubleSupportPercentage
        output	double_support_percent	percent	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	mobility.walkingDoubleSupportPercentage	ratio
        csv	Mobility	Double Support Percentage	percent	5	mobility.walkingDoubleSupportPercentage	double		100
        metric	walking_asymmetry	Walking Asymmetry	Mobility	%	HKQuantityTypeIdentifierWalkingAsymmetryPercentage	quantity	discreteAvg	%	0	enabled		Record	HKQuantityTypeIdentifierWalkingAsymmetryPercentage
        output	walking_asymmetry_percent	percent	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	mobility.walkingAsymmetryPercentage	ratio
        csv	Mobility	Walking Asymmetry	percent	5	mobility.walkingAsymmetryPercentage	double		100
        metric	walking_steadiness	Walking Steadiness	Mobility	%	HKQuantityTypeIdentifierAppleWalkingSteadiness	quantity	mostRecent	%	0	enabled		Record	HKQuantityTypeIdentifierAppleWalkingSteadiness
        output	walking_steadiness_percent	percent	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	mobility.walkingSteadinessPercent	percent
        csv	Mobility	Walking Steadiness	%	5	mobility.walkingSteadinessPercent	decimals	1
        metric	stair_ascent_speed	Stair Ascent Speed	Mobility	m/s	HKQuantityTypeIdentifierStairAscentSpeed	quantity	discreteAvg	m/s	0	enabled		Record	HKQuantityTypeIdentifierStairAscentSpeed
        output	stair_ascent_speed	m/s	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	mobility.stairAscentSpeed	m/s
        csv	Mobility	Stair Ascent Speed	m/s	5	mobility.stairAscentSpeed	double
        metric	stair_descent_speed	Stair Descent Speed	Mobility	m/s	HKQuantityTypeIdentifierStairDescentSpeed	quantity	discreteAvg	m/s	0	enabled		Record	HKQuantityTypeIdentifierStairDescentSpeed
        output	stair_descent_speed	m/s	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	mobility.stairDescentSpeed	m/s
        csv	Mobility	Stair Descent Speed	m/s	5	mobility.stairDescentSpeed	double
        metric	six_minute_walk	Six-Minute Walk Distance	Mobility	m	HKQuantityTypeIdentifierSixMinuteWalkTestDistance	quantity	mostRecent	m	0	enabled		Record	HKQuantityTypeIdentifierSixMinuteWalkTestDistance
        output	six_min_walk_m	m	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		0
        json	mobility.sixMinuteWalkDistance	m
        csv	Mobility	Six Minute Walk Distance	meters	5	mobility.sixMinuteWalkDistance	double
        metric	running_speed	Running Speed	Mobility	km/h	HKQuantityTypeIdentifierRunningSpeed	quantity	discreteAvg	m/s	0	enabled		Record	HKQuantityTypeIdentifierRunningSpeed
        output	running_speed	m/s	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	mobility.runningSpeed	m/s
        csv	Mobility	Running Speed	m/s	5	mobility.runningSpeed	decimals	2
        metric	running_stride_length	Running Stride Length	Mobility	m	HKQuantityTypeIdentifierRunningStrideLength	quantity	discreteAvg	m	0	enabled		Record	HKQuantityTypeIdentifierRunningStrideLength
        output	running_stride_length_m	m	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	mobility.runningStrideLengthM	m
        csv	Mobility	Running Stride Length	m	5	mobility.runningStrideLengthM	decimals	2
        metric	running_ground_contact	Running Ground Contact Time	Mobility	ms	HKQuantityTypeIdentifierRunningGroundContactTime	quantity	discreteAvg	ms	0	enabled		Record	HKQuantityTypeIdentifierRunningGroundContactTime
        output	running_ground_contact_ms	ms	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	mobility.runningGroundContactMs	ms
        csv	Mobility	Running Ground Contact Time	ms	5	mobility.runningGroundContactMs	decimals	0
        metric	running_vertical_oscillation	Running Vertical Oscillation	Mobility	cm	HKQuantityTypeIdentifierRunningVerticalOscillation	quantity	discreteAvg	cm	0	enabled		Record	HKQuantityTypeIdentifierRunningVerticalOscillation
        output	running_vertical_oscillation_cm	cm	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	mobility.runningVerticalOscillationCm	cm
        csv	Mobility	Running Vertical Oscillation	cm	5	mobility.runningVerticalOscillationCm	decimals	1
        metric	running_power	Running Power	Mobility	W	HKQuantityTypeIdentifierRunningPower	quantity	discreteAvg	W	0	enabled		Record	HKQuantityTypeIdentifierRunningPower
        output	running_power_w	W	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	mobility.runningPowerW	W
        csv	Mobility	Running Power	W	5	mobility.runningPowerW	decimals	0
        metric	walking_steadiness_event	Walking Steadiness Event	Mobility		HKCategoryTypeIdentifierAppleWalkingSteadinessEvent	category	count		1	enabled	15	Record	HKCategoryTypeIdentifierAppleWalkingSteadinessEvent
        metric	cycling_distance	Cycling Distance	Cycling	km	HKQuantityTypeIdentifierDistanceCycling	quantity	cumulative	m	0	enabled		Record	HKQuantityTypeIdentifierDistanceCycling
        output	cycling_km	km	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.cyclingDistance	m
        json	activity.cyclingDistanceKm	km
        json	cyclingPerformance.cycling_km	km
        csv	Activity	Cycling Distance	meters	5	activity.cyclingDistance	double
        csv	Cycling	Cycling Distance	km	5	cyclingPerformance.cycling_km	decimals	2
        output	cycling_mi	mi	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	activity.cyclingDistance	m
        json	activity.cyclingDistanceMi	mi
        metric	cycling_speed	Cycling Speed	Cycling	km/h	HKQuantityTypeIdentifierCyclingSpeed	quantity	discreteAvg	m/s	0	enabled		Record	HKQuantityTypeIdentifierCyclingSpeed
        output	cycling_speed	m/s	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	cyclingPerformance.cycling_speed	m/s
        csv	Cycling	Cycling Speed	m/s	5	cyclingPerformance.cycling_speed	decimals	2
        metric	cycling_power	Cycling Power	Cycling	W	HKQuantityTypeIdentifierCyclingPower	quantity	discreteAvg	W	0	enabled		Record	HKQuantityTypeIdentifierCyclingPower
        output	cycling_power_w	W	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	cyclingPerformance.cycling_power_w	W
        csv	Cycling	Cycling Power	W	5	cyclingPerformance.cycling_power_w	decimals	0
        metric	cycling_cadence	Cycling Cadence	Cycling	rpm	HKQuantityTypeIdentifierCyclingCadence	quantity	discreteAvg	count/min	0	enabled		Record	HKQuantityTypeIdentifierCyclingCadence
        output	cycling_cadence_rpm	rpm	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	cyclingPerformance.cycling_cadence_rpm	rpm
        csv	Cycling	Cycling Cadence	rpm	5	cyclingPerformance.cycling_cadence_rpm	decimals	0
        metric	cycling_ftp	Functional Threshold Power	Cycling	W	HKQuantityTypeIdentifierCyclingFunctionalThresholdPower	quantity	mostRecent	W	0	enabled		Record	HKQuantityTypeIdentifierCyclingFunctionalThresholdPower
        output	cycling_ftp_w	W	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		0
        json	cyclingPerformance.cycling_ftp_w	W
        csv	Cycling	Functional Threshold Power	W	5	cyclingPerformance.cycling_ftp_w	decimals	0
        metric	dietary_energy	Dietary Energy	Nutrition	kcal	HKQuantityTypeIdentifierDietaryEnergyConsumed	quantity	cumulative	kcal	0	enabled		Record	HKQuantityTypeIdentifierDietaryEnergyConsumed
        output	dietary_calories	kcal	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	nutrition.dietaryEnergy	kcal
        csv	Nutrition	Dietary Energy	kcal	5	nutrition.dietaryEnergy	double
        metric	dietary_protein	Protein	Nutrition	g	HKQuantityTypeIdentifierDietaryProtein	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryProtein
        output	protein_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.protein	g
        csv	Nutrition	Protein	g	5	nutrition.protein	double
        metric	dietary_carbs	Carbohydrates	Nutrition	g	HKQuantityTypeIdentifierDietaryCarbohydrates	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryCarbohydrates
        output	carbohydrates_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.carbohydrates	g
        csv	Nutrition	Carbohydrates	g	5	nutrition.carbohydrates	double
        metric	dietary_fat	Total Fat	Nutrition	g	HKQuantityTypeIdentifierDietaryFatTotal	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryFatTotal
        output	fat_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.fat	g
        csv	Nutrition	Fat	g	5	nutrition.fat	double
        metric	dietary_fat_saturated	Saturated Fat	Nutrition	g	HKQuantityTypeIdentifierDietaryFatSaturated	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryFatSaturated
        output	saturated_fat_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.saturatedFat	g
        csv	Nutrition	Saturated Fat	g	5	nutrition.saturatedFat	double
        metric	dietary_fat_mono	Monounsaturated Fat	Nutrition	g	HKQuantityTypeIdentifierDietaryFatMonounsaturated	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryFatMonounsaturated
        output	monounsaturated_fat_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.monounsaturatedFat	g
        csv	Nutrition	Monounsaturated Fat	g	5	nutrition.monounsaturatedFat	double
        metric	dietary_fat_poly	Polyunsaturated Fat	Nutrition	g	HKQuantityTypeIdentifierDietaryFatPolyunsaturated	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryFatPolyunsaturated
        output	polyunsaturated_fat_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.polyunsaturatedFat	g
        csv	Nutrition	Polyunsaturated Fat	g	5	nutrition.polyunsaturatedFat	double
        metric	dietary_cholesterol	Cholesterol	Nutrition	mg	HKQuantityTypeIdentifierDietaryCholesterol	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryCholesterol
        output	cholesterol_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.cholesterol	mg
        csv	Nutrition	Cholesterol	mg	5	nutrition.cholesterol	double
        metric	dietary_fiber	Fiber	Nutrition	g	HKQuantityTypeIdentifierDietaryFiber	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietaryFiber
        output	fiber_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.fiber	g
        csv	Nutrition	Fiber	g	5	nutrition.fiber	double
        metric	dietary_sugar	Sugar	Nutrition	g	HKQuantityTypeIdentifierDietarySugar	quantity	cumulative	g	0	enabled		Record	HKQuantityTypeIdentifierDietarySugar
        output	sugar_g	g	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.sugar	g
        csv	Nutrition	Sugar	g	5	nutrition.sugar	double
        metric	dietary_sodium	Sodium	Nutrition	mg	HKQuantityTypeIdentifierDietarySodium	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietarySodium
        output	sodium_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	nutrition.sodium	mg
        csv	Nutrition	Sodium	mg	5	nutrition.sodium	double
        metric	dietary_water	Water	Nutrition	L	HKQuantityTypeIdentifierDietaryWater	quantity	cumulative	L	0	enabled		Record	HKQuantityTypeIdentifierDietaryWater
        output	water_l	L	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	nutrition.water	L
        csv	Nutrition	Water	L	5	nutrition.water	double
        metric	dietary_caffeine	Caffeine	Nutrition	mg	HKQuantityTypeIdentifierDietaryCaffeine	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryCaffeine
        output	caffeine_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	nutrition.caffeine	mg
        csv	Nutrition	Caffeine	mg	5	nutrition.caffeine	double
        metric	vitamin_a	Vitamin A	Vitamins	µg	HKQuantityTypeIdentifierDietaryVitaminA	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminA
        output	vitamin_a_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.vitamin_a_ug	µg
        csv	Vitamins	Vitamin A	µg	5	vitamins.vitamin_a_ug	decimals	1
        metric	vitamin_b6	Vitamin B6	Vitamins	mg	HKQuantityTypeIdentifierDietaryVitaminB6	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminB6
        output	vitamin_b6_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	vitamins.vitamin_b6_mg	mg
        csv	Vitamins	Vitamin B6	mg	5	vitamins.vitamin_b6_mg	decimals	2
        metric	vitamin_b12	Vitamin B12	Vitamins	µg	HKQuantityTypeIdentifierDietaryVitaminB12	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminB12
        output	vitamin_b12_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	vitamins.vitamin_b12_ug	µg
        csv	Vitamins	Vitamin B12	µg	5	vitamins.vitamin_b12_ug	decimals	2
        metric	vitamin_c	Vitamin C	Vitamins	mg	HKQuantityTypeIdentifierDietaryVitaminC	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminC
        output	vitamin_c_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.vitamin_c_mg	mg
        csv	Vitamins	Vitamin C	mg	5	vitamins.vitamin_c_mg	decimals	1
        metric	vitamin_d	Vitamin D	Vitamins	µg	HKQuantityTypeIdentifierDietaryVitaminD	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminD
        output	vitamin_d_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.vitamin_d_ug	µg
        csv	Vitamins	Vitamin D	µg	5	vitamins.vitamin_d_ug	decimals	1
        metric	vitamin_e	Vitamin E	Vitamins	mg	HKQuantityTypeIdentifierDietaryVitaminE	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminE
        output	vitamin_e_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	vitamins.vitamin_e_mg	mg
        csv	Vitamins	Vitamin E	mg	5	vitamins.vitamin_e_mg	decimals	2
        metric	vitamin_k	Vitamin K	Vitamins	µg	HKQuantityTypeIdentifierDietaryVitaminK	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryVitaminK
        output	vitamin_k_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.vitamin_k_ug	µg
        csv	Vitamins	Vitamin K	µg	5	vitamins.vitamin_k_ug	decimals	1
        metric	thiamin	Thiamin (B1)	Vitamins	mg	HKQuantityTypeIdentifierDietaryThiamin	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryThiamin
        output	thiamin_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	vitamins.thiamin_mg	mg
        csv	Vitamins	Thiamin (B1)	mg	5	vitamins.thiamin_mg	decimals	2
        metric	riboflavin	Riboflavin (B2)	Vitamins	mg	HKQuantityTypeIdentifierDietaryRiboflavin	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryRiboflavin
        output	riboflavin_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	vitamins.riboflavin_mg	mg
        csv	Vitamins	Riboflavin (B2)	mg	5	vitamins.riboflavin_mg	decimals	2
        metric	niacin	Niacin (B3)	Vitamins	mg	HKQuantityTypeIdentifierDietaryNiacin	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryNiacin
        output	niacin_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.niacin_mg	mg
        csv	Vitamins	Niacin (B3)	mg	5	vitamins.niacin_mg	decimals	1
        metric	folate	Folate	Vitamins	µg	HKQuantityTypeIdentifierDietaryFolate	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryFolate
        output	folate_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.folate_ug	µg
        csv	Vitamins	Folate	µg	5	vitamins.folate_ug	decimals	1
        metric	biotin	Biotin	Vitamins	µg	HKQuantityTypeIdentifierDietaryBiotin	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryBiotin
        output	biotin_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	vitamins.biotin_ug	µg
        csv	Vitamins	Biotin	µg	5	vitamins.biotin_ug	decimals	1
        metric	pantothenic_acid	Pantothenic Acid (B5)	Vitamins	mg	HKQuantityTypeIdentifierDietaryPantothenicAcid	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryPantothenicAcid
        output	pantothenic_acid_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	vitamins.pantothenic_acid_mg	mg
        csv	Vitamins	Pantothenic Acid (B5)	mg	5	vitamins.pantothenic_acid_mg	decimals	2
        metric	calcium	Calcium	Minerals	mg	HKQuantityTypeIdentifierDietaryCalcium	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryCalcium
        output	calcium_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.calcium_mg	mg
        csv	Minerals	Calcium	mg	5	minerals.calcium_mg	decimals	1
        metric	iron	Iron	Minerals	mg	HKQuantityTypeIdentifierDietaryIron	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryIron
        output	iron_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	minerals.iron_mg	mg
        csv	Minerals	Iron	mg	5	minerals.iron_mg	decimals	2
        metric	potassium	Potassium	Minerals	mg	HKQuantityTypeIdentifierDietaryPotassium	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryPotassium
        output	potassium_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.potassium_mg	mg
        csv	Minerals	Potassium	mg	5	minerals.potassium_mg	decimals	1
        metric	magnesium	Magnesium	Minerals	mg	HKQuantityTypeIdentifierDietaryMagnesium	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryMagnesium
        output	magnesium_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.magnesium_mg	mg
        csv	Minerals	Magnesium	mg	5	minerals.magnesium_mg	decimals	1
        metric	phosphorus	Phosphorus	Minerals	mg	HKQuantityTypeIdentifierDietaryPhosphorus	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryPhosphorus
        output	phosphorus_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.phosphorus_mg	mg
        csv	Minerals	Phosphorus	mg	5	minerals.phosphorus_mg	decimals	1
        metric	zinc	Zinc	Minerals	mg	HKQuantityTypeIdentifierDietaryZinc	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryZinc
        output	zinc_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	minerals.zinc_mg	mg
        csv	Minerals	Zinc	mg	5	minerals.zinc_mg	decimals	2
        metric	selenium	Selenium	Minerals	µg	HKQuantityTypeIdentifierDietarySelenium	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietarySelenium
        output	selenium_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.selenium_ug	µg
        csv	Minerals	Selenium	µg	5	minerals.selenium_ug	decimals	1
        metric	copper	Copper	Minerals	mg	HKQuantityTypeIdentifierDietaryCopper	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryCopper
        output	copper_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		3
        json	minerals.copper_mg	mg
        csv	Minerals	Copper	mg	5	minerals.copper_mg	decimals	3
        metric	manganese	Manganese	Minerals	mg	HKQuantityTypeIdentifierDietaryManganese	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryManganese
        output	manganese_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	minerals.manganese_mg	mg
        csv	Minerals	Manganese	mg	5	minerals.manganese_mg	decimals	2
        metric	chromium	Chromium	Minerals	µg	HKQuantityTypeIdentifierDietaryChromium	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryChromium
        output	chromium_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.chromium_ug	µg
        csv	Minerals	Chromium	µg	5	minerals.chromium_ug	decimals	1
        metric	molybdenum	Molybdenum	Minerals	µg	HKQuantityTypeIdentifierDietaryMolybdenum	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryMolybdenum
        output	molybdenum_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.molybdenum_ug	µg
        csv	Minerals	Molybdenum	µg	5	minerals.molybdenum_ug	decimals	1
        metric	chloride	Chloride	Minerals	mg	HKQuantityTypeIdentifierDietaryChloride	quantity	cumulative	mg	0	enabled		Record	HKQuantityTypeIdentifierDietaryChloride
        output	chloride_mg	mg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.chloride_mg	mg
        csv	Minerals	Chloride	mg	5	minerals.chloride_mg	decimals	1
        metric	iodine	Iodine	Minerals	µg	HKQuantityTypeIdentifierDietaryIodine	quantity	cumulative	mcg	0	enabled		Record	HKQuantityTypeIdentifierDietaryIodine
        output	iodine_ug	µg	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	minerals.iodine_ug	µg
        csv	Minerals	Iodine	µg	5	minerals.iodine_ug	decimals	1
        metric	headphone_audio	Headphone Audio Level	Hearing	dB	HKQuantityTypeIdentifierHeadphoneAudioExposure	quantity	discreteAvg	dBASPL	0	enabled		Record	HKQuantityTypeIdentifierHeadphoneAudioExposure
        output	headphone_audio_db	dB	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	hearing.headphoneAudioLevel	dB
        csv	Hearing	Headphone Audio Level	dB	5	hearing.headphoneAudioLevel	double
        metric	environmental_audio	Environmental Sound Level	Hearing	dB	HKQuantityTypeIdentifierEnvironmentalAudioExposure	quantity	discreteAvg	dBASPL	0	enabled		Record	HKQuantityTypeIdentifierEnvironmentalAudioExposure
        output	environmental_sound_db	dB	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		1
        json	hearing.environmentalSoundLevel	dB
        csv	Hearing	Environmental Sound Level	dB	5	hearing.environmentalSoundLevel	double
        metric	environmental_sound_reduction	Environmental Sound Reduction	Hearing	dBASPL	HKQuantityTypeIdentifierEnvironmentalSoundReduction	quantity	discreteAvg	dBASPL	1	enabled	16	Record	HKQuantityTypeIdentifierEnvironmentalSoundReduction
        metric	environmental_audio_exposure_event	Environmental Audio Exposure Event	Hearing		HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent	category	count		1	enabled	14	Record	HKCategoryTypeIdentifierAudioExposureEvent
        metric	headphone_audio_exposure_event	Headphone Audio Exposure Event	Hearing		HKCategoryTypeIdentifierHeadphoneAudioExposureEvent	category	count		1	enabled	14.2	Record	HKCategoryTypeIdentifierHeadphoneAudioExposureEvent
        metric	audiograms	Audiograms	Hearing	hearing tests	HKDataTypeIdentifierAudiogram	category	count		1	enabled	13	Audiogram
        metric	mindful_minutes	Mindful Minutes	Mindfulness	min	HKCategoryTypeIdentifierMindfulSession	category	duration		0	enabled		Record	HKCategoryTypeIdentifierMindfulSession
        output	mindful_minutes	min	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	mindfulness.mindfulMinutes	min
        csv	Mindfulness	Mindful Minutes	minutes	5	mindfulness.mindfulMinutes	double
        metric	mindful_sessions	Mindful Sessions	Mindfulness	sessions	HKCategoryTypeIdentifierMindfulSession	category	count		0	enabled		Record	HKCategoryTypeIdentifierMindfulSession
        output	mindful_sessions	sessions	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	mindfulness.mindfulSessions	count
        csv	Mindfulness	Mindful Sessions	count	5	mindfulness.mindfulSessions	integer
        metric	state_of_mind_entries	Mood Entries	Mindfulness	entries	HKStateOfMind	category	count		0	enabled	18				mindfulness.stateOfMindEntries	valence	HKDataTypeStateOfMind
        output	mood_associations		list	union	union,value_counts,days_counted
        json	mindfulness.associations	list
        output	mood_entries	entries	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	mindfulness.stateOfMindCount	count
        csv	Mindfulness	State of Mind Entries	count	5	mindfulness.stateOfMindCount	integer
        output	mood_labels		list	union	union,value_counts,days_counted
        json	mindfulness.emotionLabels	list
        metric	daily_mood	Daily Mood	Mindfulness		HKStateOfMind	category	mostRecent		0	enabled	18						HKDataTypeStateOfMind
        output	daily_mood_count	count	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	mindfulness.dailyMoodCount	count
        csv	Mindfulness	Daily Mood Count	count	5	mindfulness.dailyMoodCount	integer
        output	daily_mood_percent	percent	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	mindfulness.averageDailyMoodValence	valence -1..1
        csv	Mindfulness	Daily Mood Percent	percent	5	mindfulness.averageDailyMoodValence	integer
        metric	average_valence	Average Mood Valence	Mindfulness		HKStateOfMind	category	discreteAvg		0	enabled	18						HKDataTypeStateOfMind
        output	average_mood_percent	percent	average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		0
        json	mindfulness.averageValencePercent	percent
        csv	Mindfulness	Average Mood Percent	percent	5	mindfulness.averageValencePercent	integer
        output	average_mood_valence		average	average	average_of_daily_values,minimum_daily_value,maximum_daily_value,latest,days_counted		2
        json	mindfulness.averageValence	valence -1..1
        csv	Mindfulness	Average Mood Valence	scale(-1 to 1)	5	mindfulness.averageValence	decimals	2
        metric	momentary_emotions	Momentary Emotions	Mindfulness	entries	HKStateOfMind	category	count		0	enabled	18						HKDataTypeStateOfMind
        output	momentary_emotion_count	count	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	mindfulness.momentaryEmotionCount	count
        csv	Mindfulness	Momentary Emotion Count	count	5	mindfulness.momentaryEmotionCount	integer
        metric	gad7_assessments	GAD-7 Assessments	Mindfulness	assessments	HKScoredAssessmentTypeIdentifierGAD7	category	count		1	enabled	18
        metric	phq9_assessments	PHQ-9 Assessments	Mindfulness	assessments	HKScoredAssessmentTypeIdentifierPHQ9	category	count		1	enabled	18
        metric	menstrual_flow	Menstrual Flow	Reproductive Health		HKCategoryTypeIdentifierMenstrualFlow	category	mostRecent		0	enabled		Record	HKCategoryTypeIdentifierMenstrualFlow
        output	menstrual_flow		category_latest	histogram	latest,value_counts,days_counted
        json	reproductiveHealth.menstrual_flow	text
        csv	Reproductive Health	Menstrual Flow		5	reproductiveHealth.menstrual_flow	text
        metric	sexual_activity	Sexual Activity	Reproductive Health		HKCategoryTypeIdentifierSexualActivity	category	count		0	enabled		Record	HKCategoryTypeIdentifierSexualActivity
        output	sexual_activity		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	reproductiveHealth.sexual_activity	text
        csv	Reproductive Health	Sexual Activity		5	reproductiveHealth.sexual_activity	text
        metric	ovulation_test	Ovulation Test Result	Reproductive Health		HKCategoryTypeIdentifierOvulationTestResult	category	mostRecent		0	enabled		Record	HKCategoryTypeIdentifierOvulationTestResult
        output	ovulation_test		category_latest	histogram	latest,value_counts,days_counted
        json	reproductiveHealth.ovulation_test	text
        csv	Reproductive Health	Ovulation Test Result		5	reproductiveHealth.ovulation_test	text
        metric	cervical_mucus	Cervical Mucus Quality	Reproductive Health		HKCategoryTypeIdentifierCervicalMucusQuality	category	mostRecent		0	enabled		Record	HKCategoryTypeIdentifierCervicalMucusQuality
        output	cervical_mucus		category_latest	histogram	latest,value_counts,days_counted
        json	reproductiveHealth.cervical_mucus	text
        csv	Reproductive Health	Cervical Mucus Quality		5	reproductiveHealth.cervical_mucus	text
        metric	intermenstrual_bleeding	Spotting	Reproductive Health		HKCategoryTypeIdentifierIntermenstrualBleeding	category	count		0	enabled		Record	HKCategoryTypeIdentifierIntermenstrualBleeding
        output	intermenstrual_bleeding		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	reproductiveHealth.intermenstrual_bleeding	text
        csv	Reproductive Health	Spotting		5	reproductiveHealth.intermenstrual_bleeding	text
        metric	bleeding_after_pregnancy	Bleeding After Pregnancy	Reproductive Health		HKCategoryTypeIdentifierBleedingAfterPregnancy	category	mostRecent		1	enabled	18	Record	HKCategoryTypeIdentifierBleedingAfterPregnancy
        metric	bleeding_during_pregnancy	Bleeding During Pregnancy	Reproductive Health		HKCategoryTypeIdentifierBleedingDuringPregnancy	category	mostRecent		1	enabled	18	Record	HKCategoryTypeIdentifierBleedingDuringPregnancy
        metric	contraceptive	Contraceptive	Reproductive Health		HKCategoryTypeIdentifierContraceptive	category	mostRecent		1	enabled	14.3	Record	HKCategoryTypeIdentifierContraceptive
        metric	infrequent_menstrual_cycles	Infrequent Menstrual Cycles	Reproductive Health		HKCategoryTypeIdentifierInfrequentMenstrualCycles	category	count		1	enabled	16	Record	HKCategoryTypeIdentifierInfrequentMenstrualCycles
        metric	irregular_menstrual_cycles	Irregular Menstrual Cycles	Reproductive Health		HKCategoryTypeIdentifierIrregularMenstrualCycles	category	count		1	enabled	16	Record	HKCategoryTypeIdentifierIrregularMenstrualCycles
        metric	lactation	Lactation	Reproductive Health		HKCategoryTypeIdentifierLactation	category	count		1	enabled	14.3	Record	HKCategoryTypeIdentifierLactation
        metric	persistent_intermenstrual_bleeding	Persistent Intermenstrual Bleeding	Reproductive Health		HKCategoryTypeIdentifierPersistentIntermenstrualBleeding	category	count		1	enabled	16	Record	HKCategoryTypeIdentifierPersistentIntermenstrualBleeding
        metric	pregnancy	Pregnancy	Reproductive Health		HKCategoryTypeIdentifierPregnancy	category	count		1	enabled	14.3	Record	HKCategoryTypeIdentifierPregnancy
        metric	pregnancy_test_result	Pregnancy Test Result	Reproductive Health		HKCategoryTypeIdentifierPregnancyTestResult	category	mostRecent		1	enabled	15	Record	HKCategoryTypeIdentifierPregnancyTestResult
        metric	progesterone_test_result	Progesterone Test Result	Reproductive Health		HKCategoryTypeIdentifierProgesteroneTestResult	category	mostRecent		1	enabled	15	Record	HKCategoryTypeIdentifierProgesteroneTestResult
        metric	prolonged_menstrual_periods	Prolonged Menstrual Periods	Reproductive Health		HKCategoryTypeIdentifierProlongedMenstrualPeriods	category	count		1	enabled	16	Record	HKCategoryTypeIdentifierProlongedMenstrualPeriods
        metric	symptom_headache	Headache	Symptoms		HKCategoryTypeIdentifierHeadache	category	count		0	enabled		Record	HKCategoryTypeIdentifierHeadache
        output	symptom_headache		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_headache	count
        csv	Symptoms	Headache	count	5	symptoms.symptom_headache	integer
        metric	symptom_fatigue	Fatigue	Symptoms		HKCategoryTypeIdentifierFatigue	category	count		0	enabled		Record	HKCategoryTypeIdentifierFatigue
        output	symptom_fatigue		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_fatigue	count
        csv	Symptoms	Fatigue	count	5	symptoms.symptom_fatigue	integer
        metric	symptom_nausea	Nausea	Symptoms		HKCategoryTypeIdentifierNausea	category	count		0	enabled		Record	HKCategoryTypeIdentifierNausea
        output	symptom_nausea		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_nausea	count
        csv	Symptoms	Nausea	count	5	symptoms.symptom_nausea	integer
        metric	symptom_dizziness	Dizziness	Symptoms		HKCategoryTypeIdentifierDizziness	category	count		0	enabled		Record	HKCategoryTypeIdentifierDizziness
        output	symptom_dizziness		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_dizziness	count
        csv	Symptoms	Dizziness	count	5	symptoms.symptom_dizziness	integer
        metric	symptom_mood_changes	Mood Changes	Symptoms		HKCategoryTypeIdentifierMoodChanges	category	count		0	enabled		Record	HKCategoryTypeIdentifierMoodChanges
        output	symptom_mood_changes		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_mood_changes	count
        csv	Symptoms	Mood Changes	count	5	symptoms.symptom_mood_changes	integer
        metric	symptom_sleep_changes	Sleep Changes	Symptoms		HKCategoryTypeIdentifierSleepChanges	category	count		0	enabled		Record	HKCategoryTypeIdentifierSleepChanges
        output	symptom_sleep_changes		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_sleep_changes	count
        csv	Symptoms	Sleep Changes	count	5	symptoms.symptom_sleep_changes	integer
        metric	symptom_appetite_changes	Appetite Changes	Symptoms		HKCategoryTypeIdentifierAppetiteChanges	category	count		0	enabled		Record	HKCategoryTypeIdentifierAppetiteChanges
        output	symptom_appetite_changes		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_appetite_changes	count
        csv	Symptoms	Appetite Changes	count	5	symptoms.symptom_appetite_changes	integer
        metric	symptom_hot_flashes	Hot Flashes	Symptoms		HKCategoryTypeIdentifierHotFlashes	category	count		0	enabled		Record	HKCategoryTypeIdentifierHotFlashes
        output	symptom_hot_flashes		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_hot_flashes	count
        csv	Symptoms	Hot Flashes	count	5	symptoms.symptom_hot_flashes	integer
        metric	symptom_chills	Chills	Symptoms		HKCategoryTypeIdentifierChills	category	count		0	enabled		Record	HKCategoryTypeIdentifierChills
        output	symptom_chills		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_chills	count
        csv	Symptoms	Chills	count	5	symptoms.symptom_chills	integer
        metric	symptom_fever	Fever	Symptoms		HKCategoryTypeIdentifierFever	category	count		0	enabled		Record	HKCategoryTypeIdentifierFever
        output	symptom_fever		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_fever	count
        csv	Symptoms	Fever	count	5	symptoms.symptom_fever	integer
        metric	symptom_lower_back_pain	Lower Back Pain	Symptoms		HKCategoryTypeIdentifierLowerBackPain	category	count		0	enabled		Record	HKCategoryTypeIdentifierLowerBackPain
        output	symptom_lower_back_pain		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_lower_back_pain	count
        csv	Symptoms	Lower Back Pain	count	5	symptoms.symptom_lower_back_pain	integer
        metric	symptom_bloating	Bloating	Symptoms		HKCategoryTypeIdentifierBloating	category	count		0	enabled		Record	HKCategoryTypeIdentifierBloating
        output	symptom_bloating		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_bloating	count
        csv	Symptoms	Bloating	count	5	symptoms.symptom_bloating	integer
        metric	symptom_constipation	Constipation	Symptoms		HKCategoryTypeIdentifierConstipation	category	count		0	enabled		Record	HKCategoryTypeIdentifierConstipation
        output	symptom_constipation		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_constipation	count
        csv	Symptoms	Constipation	count	5	symptoms.symptom_constipation	integer
        metric	symptom_diarrhea	Diarrhea	Symptoms		HKCategoryTypeIdentifierDiarrhea	category	count		0	enabled		Record	HKCategoryTypeIdentifierDiarrhea
        output	symptom_diarrhea		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_diarrhea	count
        csv	Symptoms	Diarrhea	count	5	symptoms.symptom_diarrhea	integer
        metric	symptom_heartburn	Heartburn	Symptoms		HKCategoryTypeIdentifierHeartburn	category	count		0	enabled		Record	HKCategoryTypeIdentifierHeartburn
        output	symptom_heartburn		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_heartburn	count
        csv	Symptoms	Heartburn	count	5	symptoms.symptom_heartburn	integer
        metric	symptom_coughing	Coughing	Symptoms		HKCategoryTypeIdentifierCoughing	category	count		0	enabled		Record	HKCategoryTypeIdentifierCoughing
        output	symptom_coughing		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_coughing	count
        csv	Symptoms	Coughing	count	5	symptoms.symptom_coughing	integer
        metric	symptom_sore_throat	Sore Throat	Symptoms		HKCategoryTypeIdentifierSoreThroat	category	count		0	enabled		Record	HKCategoryTypeIdentifierSoreThroat
        output	symptom_sore_throat		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_sore_throat	count
        csv	Symptoms	Sore Throat	count	5	symptoms.symptom_sore_throat	integer
        metric	symptom_runny_nose	Runny Nose	Symptoms		HKCategoryTypeIdentifierRunnyNose	category	count		0	enabled		Record	HKCategoryTypeIdentifierRunnyNose
        output	symptom_runny_nose		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_runny_nose	count
        csv	Symptoms	Runny Nose	count	5	symptoms.symptom_runny_nose	integer
        metric	symptom_shortness_of_breath	Shortness of Breath	Symptoms		HKCategoryTypeIdentifierShortnessOfBreath	category	count		0	enabled		Record	HKCategoryTypeIdentifierShortnessOfBreath
        output	symptom_shortness_of_breath		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_shortness_of_breath	count
        csv	Symptoms	Shortness Of Breath	count	5	symptoms.symptom_shortness_of_breath	integer
        metric	symptom_chest_pain	Chest Tightness or Pain	Symptoms		HKCategoryTypeIdentifierChestTightnessOrPain	category	count		0	enabled		Record	HKCategoryTypeIdentifierChestTightnessOrPain
        output	symptom_chest_pain		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_chest_pain	count
        csv	Symptoms	Chest Pain	count	5	symptoms.symptom_chest_pain	integer
        metric	symptom_skipped_heartbeat	Skipped Heartbeat	Symptoms		HKCategoryTypeIdentifierSkippedHeartbeat	category	count		0	enabled		Record	HKCategoryTypeIdentifierSkippedHeartbeat
        output	symptom_skipped_heartbeat		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_skipped_heartbeat	count
        csv	Symptoms	Skipped Heartbeat	count	5	symptoms.symptom_skipped_heartbeat	integer
        metric	symptom_rapid_heartbeat	Rapid/Pounding Heartbeat	Symptoms		HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat	category	count		0	enabled		Record	HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat
        output	symptom_rapid_heartbeat		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_rapid_heartbeat	count
        csv	Symptoms	Rapid Heartbeat	count	5	symptoms.symptom_rapid_heartbeat	integer
        metric	symptom_acne	Acne	Symptoms		HKCategoryTypeIdentifierAcne	category	count		0	enabled		Record	HKCategoryTypeIdentifierAcne
        output	symptom_acne		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_acne	count
        csv	Symptoms	Acne	count	5	symptoms.symptom_acne	integer
        metric	symptom_dry_skin	Dry Skin	Symptoms		HKCategoryTypeIdentifierDrySkin	category	count		0	enabled		Record	HKCategoryTypeIdentifierDrySkin
        output	symptom_dry_skin		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_dry_skin	count
        csv	Symptoms	Dry Skin	count	5	symptoms.symptom_dry_skin	integer
        metric	symptom_hair_loss	Hair Loss	Symptoms		HKCategoryTypeIdentifierHairLoss	category	count		0	enabled		Record	HKCategoryTypeIdentifierHairLoss
        output	symptom_hair_loss		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_hair_loss	count
        csv	Symptoms	Hair Loss	count	5	symptoms.symptom_hair_loss	integer
        metric	symptom_memory_lapse	Memory Lapse	Symptoms		HKCategoryTypeIdentifierMemoryLapse	category	count		0	enabled		Record	HKCategoryTypeIdentifierMemoryLapse
        output	symptom_memory_lapse		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_memory_lapse	count
        csv	Symptoms	Memory Lapse	count	5	symptoms.symptom_memory_lapse	integer
        metric	symptom_night_sweats	Night Sweats	Symptoms		HKCategoryTypeIdentifierNightSweats	category	count		0	enabled		Record	HKCategoryTypeIdentifierNightSweats
        output	symptom_night_sweats		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_night_sweats	count
        csv	Symptoms	Night Sweats	count	5	symptoms.symptom_night_sweats	integer
        metric	symptom_vomiting	Vomiting	Symptoms		HKCategoryTypeIdentifierVomiting	category	count		0	enabled		Record	HKCategoryTypeIdentifierVomiting
        output	symptom_vomiting		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_vomiting	count
        csv	Symptoms	Vomiting	count	5	symptoms.symptom_vomiting	integer
        metric	symptom_abdominal_cramps	Abdominal Cramps	Symptoms		HKCategoryTypeIdentifierAbdominalCramps	category	count		0	enabled		Record	HKCategoryTypeIdentifierAbdominalCramps
        output	symptom_abdominal_cramps		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_abdominal_cramps	count
        csv	Symptoms	Abdominal Cramps	count	5	symptoms.symptom_abdominal_cramps	integer
        metric	symptom_breast_pain	Breast Pain	Symptoms		HKCategoryTypeIdentifierBreastPain	category	count		0	enabled		Record	HKCategoryTypeIdentifierBreastPain
        output	symptom_breast_pain		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_breast_pain	count
        csv	Symptoms	Breast Pain	count	5	symptoms.symptom_breast_pain	integer
        metric	symptom_pelvic_pain	Pelvic Pain	Symptoms		HKCategoryTypeIdentifierPelvicPain	category	count		0	enabled		Record	HKCategoryTypeIdentifierPelvicPain
        output	symptom_pelvic_pain		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_pelvic_pain	count
        csv	Symptoms	Pelvic Pain	count	5	symptoms.symptom_pelvic_pain	integer
        metric	symptom_body_ache	Generalized Body Ache	Symptoms		HKCategoryTypeIdentifierGeneralizedBodyAche	category	count		0	enabled		Record	HKCategoryTypeIdentifierGeneralizedBodyAche
        output	symptom_body_ache		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_body_ache	count
        csv	Symptoms	Body Ache	count	5	symptoms.symptom_body_ache	integer
        metric	symptom_fainting	Fainting	Symptoms		HKCategoryTypeIdentifierFainting	category	count		0	enabled		Record	HKCategoryTypeIdentifierFainting
        output	symptom_fainting		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_fainting	count
        csv	Symptoms	Fainting	count	5	symptoms.symptom_fainting	integer
        metric	symptom_loss_of_smell	Loss of Smell	Symptoms		HKCategoryTypeIdentifierLossOfSmell	category	count		0	enabled		Record	HKCategoryTypeIdentifierLossOfSmell
        output	symptom_loss_of_smell		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_loss_of_smell	count
        csv	Symptoms	Loss Of Smell	count	5	symptoms.symptom_loss_of_smell	integer
        metric	symptom_loss_of_taste	Loss of Taste	Symptoms		HKCategoryTypeIdentifierLossOfTaste	category	count		0	enabled		Record	HKCategoryTypeIdentifierLossOfTaste
        output	symptom_loss_of_taste		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_loss_of_taste	count
        csv	Symptoms	Loss Of Taste	count	5	symptoms.symptom_loss_of_taste	integer
        metric	symptom_wheezing	Wheezing	Symptoms		HKCategoryTypeIdentifierWheezing	category	count		0	enabled		Record	HKCategoryTypeIdentifierWheezing
        output	symptom_wheezing		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_wheezing	count
        csv	Symptoms	Wheezing	count	5	symptoms.symptom_wheezing	integer
        metric	symptom_sinus_congestion	Sinus Congestion	Symptoms		HKCategoryTypeIdentifierSinusCongestion	category	count		0	enabled		Record	HKCategoryTypeIdentifierSinusCongestion
        output	symptom_sinus_congestion		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_sinus_congestion	count
        csv	Symptoms	Sinus Congestion	count	5	symptoms.symptom_sinus_congestion	integer
        metric	symptom_bladder_incontinence	Bladder Incontinence	Symptoms		HKCategoryTypeIdentifierBladderIncontinence	category	count		0	enabled		Record	HKCategoryTypeIdentifierBladderIncontinence
        output	symptom_bladder_incontinence		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_bladder_incontinence	count
        csv	Symptoms	Bladder Incontinence	count	5	symptoms.symptom_bladder_incontinence	integer
        metric	symptom_vaginal_dryness	Vaginal Dryness	Symptoms		HKCategoryTypeIdentifierVaginalDryness	category	count		0	enabled		Record	HKCategoryTypeIdentifierVaginalDryness
        output	symptom_vaginal_dryness		count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	symptoms.symptom_vaginal_dryness	count
        csv	Symptoms	Vaginal Dryness	count	5	symptoms.symptom_vaginal_dryness	integer
        metric	clinical_allergy_records	Allergy Records	Clinical Records	records	HKClinicalTypeIdentifierAllergyRecord	category	count		1	source_gated		ClinicalRecord
        metric	clinical_note_records	Clinical Notes	Clinical Records	records	HKClinicalTypeIdentifierClinicalNoteRecord	category	count		1	source_gated	16.4	ClinicalRecord
        metric	clinical_condition_records	Condition Records	Clinical Records	records	HKClinicalTypeIdentifierConditionRecord	category	count		1	source_gated		ClinicalRecord
        metric	clinical_coverage_records	Coverage Records	Clinical Records	records	HKClinicalTypeIdentifierCoverageRecord	category	count		1	source_gated	14	ClinicalRecord
        metric	clinical_immunization_records	Immunization Records	Clinical Records	records	HKClinicalTypeIdentifierImmunizationRecord	category	count		1	source_gated		ClinicalRecord
        metric	clinical_lab_result_records	Lab Result Records	Clinical Records	records	HKClinicalTypeIdentifierLabResultRecord	category	count		1	source_gated		ClinicalRecord
        metric	clinical_medication_records	Clinical Medication Records	Clinical Records	records	HKClinicalTypeIdentifierMedicationRecord	category	count		1	source_gated		ClinicalRecord
        metric	clinical_procedure_records	Procedure Records	Clinical Records	records	HKClinicalTypeIdentifierProcedureRecord	category	count		1	source_gated		ClinicalRecord
        metric	clinical_vital_sign_records	Clinical Vital-Sign Records	Clinical Records	records	HKClinicalTypeIdentifierVitalSignRecord	category	count		1	source_gated		ClinicalRecord
        metric	cda_documents	CDA Documents	Clinical Documents	documents	HKDocumentTypeIdentifierCDA	category	count		1	source_gated
        metric	verifiable_clinical_records	Verifiable Clinical Records	Clinical Documents	records	HKVerifiableClinicalRecordTypeIdentifier	category	count		1	source_gated	15.4
        metric	vision_prescriptions	Vision Prescriptions	Vision	prescriptions	HKVisionPrescriptionTypeIdentifier	category	count		1	opt_in	16	VisionPrescription
        metric	medications	Medications	Medications	doses	HKMedicationDoseEventTypeIdentifierMedicationDoseEvent	category	count		0	opt_in	26				medications.doseEvents	dose
        output	active_medication_count	count	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		0
        json	medications.activeMedicationCount	count
        csv	Medications	Active Medications	count	5	medications.activeMedicationCount	integer
        output	archived_medication_count	count	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		0
        json	medications.archivedMedicationCount	count
        csv	Medications	Archived Medications	count	5	medications.archivedMedicationCount	integer
        output	medication_count	count	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		0
        json	medications.medicationCount	count
        csv	Medications	Authorized Medications	count	5	medications.medicationCount	integer
        output	medication_details		list	union	union,value_counts,days_counted
        json	medications.medications	array
        output	medication_dose_count	count	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	medications.doseEventCount	count
        csv	Medications	Dose Events	count	5	medications.doseEventCount	integer
        output	medication_dose_events		list	union	union,value_counts,days_counted
        json	medications.doseEvents	array
        output	medication_skipped_count	count	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	medications.skippedDoseCount	count
        csv	Medications	Skipped Doses	count	5	medications.skippedDoseCount	integer
        output	medication_taken_count	count	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	medications.takenDoseCount	count
        csv	Medications	Taken Doses	count	5	medications.takenDoseCount	integer
        output	medications		list	union	union,value_counts,days_counted
        json	medications.medications	array (names)
        metric	uv_exposure	UV Exposure	Other		HKQuantityTypeIdentifierUVExposure	quantity	discreteMax	count	0	enabled		Record	HKQuantityTypeIdentifierUVExposure
        output	uv_exposure		maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		1
        json	other.uv_exposure
        csv	Other	UV Exposure		5	other.uv_exposure	decimals	1
        metric	time_in_daylight	Time in Daylight	Other	min	HKQuantityTypeIdentifierTimeInDaylight	quantity	cumulative	min	0	enabled		Record	HKQuantityTypeIdentifierTimeInDaylight
        output	time_in_daylight_min	min	minimum	minimum	minimum,average_of_daily_values,maximum_daily_value,days_counted		0
        json	other.time_in_daylight_min	min
        csv	Other	Time in Daylight	min	5	other.time_in_daylight_min	decimals	0
        metric	number_of_falls	Number of Falls	Other	falls	HKQuantityTypeIdentifierNumberOfTimesFallen	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierNumberOfTimesFallen
        output	number_of_falls	falls	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	other.number_of_falls	falls
        csv	Other	Number of Falls	falls	5	other.number_of_falls	decimals	0
        metric	blood_alcohol	Blood Alcohol Content	Other	%	HKQuantityTypeIdentifierBloodAlcoholContent	quantity	mostRecent	%	0	enabled		Record	HKQuantityTypeIdentifierBloodAlcoholContent
        output	blood_alcohol_percent	percent	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		3
        json	other.blood_alcohol_percent	percent
        csv	Other	Blood Alcohol Content	percent	5	other.blood_alcohol_percent	decimals	3
        metric	alcoholic_beverages	Alcoholic Beverages	Other	drinks	HKQuantityTypeIdentifierNumberOfAlcoholicBeverages	quantity	cumulative	count	0	enabled		Record	HKQuantityTypeIdentifierNumberOfAlcoholicBeverages
        output	alcoholic_beverages	drinks	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	other.alcoholic_beverages	drinks
        csv	Other	Alcoholic Beverages	drinks	5	other.alcoholic_beverages	decimals	0
        metric	insulin_delivery	Insulin Delivery	Other	IU	HKQuantityTypeIdentifierInsulinDelivery	quantity	cumulative	IU	0	enabled		Record	HKQuantityTypeIdentifierInsulinDelivery
        output	insulin_delivery_iu	IU	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		1
        json	other.insulin_delivery_iu	IU
        csv	Other	Insulin Delivery	IU	5	other.insulin_delivery_iu	decimals	1
        metric	toothbrushing	Toothbrushing	Other	events	HKCategoryTypeIdentifierToothbrushingEvent	category	count		0	enabled		Record	HKCategoryTypeIdentifierToothbrushingEvent
        output	toothbrushing	events	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	other.toothbrushing	events
        csv	Other	Toothbrushing	events	5	other.toothbrushing	decimals	0
        metric	handwashing	Handwashing	Other	events	HKCategoryTypeIdentifierHandwashingEvent	category	count		0	enabled		Record	HKCategoryTypeIdentifierHandwashingEvent
        output	handwashing	events	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	other.handwashing	events
        csv	Other	Handwashing	events	5	other.handwashing	decimals	0
        metric	water_temperature	Water Temperature	Other	°C	HKQuantityTypeIdentifierWaterTemperature	quantity	mostRecent	degC	0	enabled		Record	HKQuantityTypeIdentifierWaterTemperature
        output	water_temperature	°C	latest	latest	latest,minimum_daily_value,maximum_daily_value,average_of_daily_values,days_counted		1
        json	other.water_temperature	°C
        csv	Other	Water Temperature	°C	5	other.water_temperature	decimals	1
        metric	underwater_depth	Underwater Depth	Other	m	HKQuantityTypeIdentifierUnderwaterDepth	quantity	discreteMax	m	0	enabled		Record	HKQuantityTypeIdentifierUnderwaterDepth
        output	underwater_depth_m	m	maximum	maximum	maximum,average_of_daily_values,minimum_daily_value,days_counted		1
        json	other.underwater_depth_m	m
        csv	Other	Underwater Depth	m	5	other.underwater_depth_m	decimals	1
        metric	workouts	Workouts	Workouts			workout	count		0	enabled		Workout
        output	workout_avg_heart_rate	bpm	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	0
        json	workouts[].avgHeartRate	duration-weighted
        output	workout_avg_power	W	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	0
        json	workouts[].avgPower	duration-weighted
        output	workout_calories	kcal	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	workouts[].calories	kcal, sum
        output	workout_count	count	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	workouts	count of elements
        output	workout_cycling_cadence	rpm	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	0
        json	workouts[].avgCyclingCadence	duration-weighted, cycling only
        output	workout_distance_km	km	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	workouts[].distance	m, sum/1000
        output	workout_distance_mi	mi	sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		2
        json	workouts[].distance	m, sum/1609.344
        output	workout_max_heart_rate	bpm	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	workouts[].maxHeartRate	max
        output	workout_max_power	W	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	workouts[].maxPower	max
        output	workout_min_heart_rate	bpm	count	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	workouts[].minHeartRate	min
        output	workout_minutes	min	duration_sum	sum	sum,daily_average,minimum_daily_value,maximum_daily_value,days_counted		0
        json	workouts[].duration	s, sum/60
        output	workout_running_cadence	spm	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	0
        json	workouts[].avgRunningCadence	duration-weighted, running only
        output	workout_running_ground_contact	ms	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	0
        json	workouts[].avgGroundContactTime	duration-weighted, running only
        output	workout_running_stride_length	m	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	2
        json	workouts[].avgStrideLength	duration-weighted, running only
        output	workout_running_vertical_oscillation	cm	weighted_average	weighted_average	weighted_average,minimum_daily_value,maximum_daily_value,latest,days_counted	duration	1
        json	workouts[].avgVerticalOscillation	duration-weighted, running only
        output	workouts		list	union	union,value_counts,days_counted
        json	workouts[].sport	sorted unique
        metric	scheduled_workout_plans	Scheduled Workout Plans	Workouts	plans		external	count		1	opt_in	17						WorkoutKit.WorkoutPlan
        diagnostic	raw_capture_status	Lossless Health Record Capture Status		raw_capture_status	category_latest	latest	days_counted,value_counts	ignore_missing_days_and_report_days_counted	lossless_health_records	Diagnostics
        diagnostic	raw_record_count	Lossless Source Record Count	records	healthkit_record_archive.records (length)	count	sum	days_counted,daily_average,maximum	treat_missing_legacy_days_as_unknown_not_zero	lossless_health_records	Diagnostics
        diagnostic	raw_query_failure_count	Lossless Query Failure Count	queries	healthkit_record_archive.query_manifest.results (failure + cancelled)	count	sum	days_counted,daily_average,maximum	treat_missing_legacy_days_as_unknown_not_zero	lossless_health_records	Diagnostics
        diagnostic	raw_integrity_warning_count	Lossless Integrity Warning Count	warnings	healthkit_record_archive.integrity_warnings (length)	count	sum	days_counted,daily_average,maximum	treat_missing_legacy_days_as_unknown_not_zero	lossless_health_records	Diagnostics
        diagnostic	raw_record_schema	Lossless Record Schema		healthkit_record_archive.schema	latest	latest	days_counted,value_counts	ignore_missing_days_and_report_days_counted	lossless_health_records	Diagnostics
        diagnostic	raw_record_schema_version	Lossless Record Schema Version		healthkit_record_archive.schema_version	latest	latest	days_counted,value_counts	ignore_missing_days_and_report_days_counted	lossless_health_records	Diagnostics
        enum	HKCategoryTypeIdentifierSleepAnalysis	0	HKCategoryValueSleepAnalysisInBed	inBed
        enum	HKCategoryTypeIdentifierSleepAnalysis	1	HKCategoryValueSleepAnalysisAsleepUnspecified	unspecified
        enum	HKCategoryTypeIdentifierSleepAnalysis	2	HKCategoryValueSleepAnalysisAwake	awake
        enum	HKCategoryTypeIdentifierSleepAnalysis	3	HKCategoryValueSleepAnalysisAsleepCore	core
        enum	HKCategoryTypeIdentifierSleepAnalysis	4	HKCategoryValueSleepAnalysisAsleepDeep	deep
        enum	HKCategoryTypeIdentifierSleepAnalysis	5	HKCategoryValueSleepAnalysisAsleepREM	rem
        enum	HKCategoryTypeIdentifierAppleStandHour	0	HKCategoryValueAppleStandHourStood	stood
        enum	HKCategoryTypeIdentifierAppleStandHour	1	HKCategoryValueAppleStandHourIdle	idle
        enum	HKCategoryTypeIdentifierMenstrualFlow	1	HKCategoryValueMenstrualFlowUnspecified	unspecified
        enum	HKCategoryTypeIdentifierMenstrualFlow	2	HKCategoryValueMenstrualFlowLight	light
        enum	HKCategoryTypeIdentifierMenstrualFlow	3	HKCategoryValueMenstrualFlowMedium	medium
        enum	HKCategoryTypeIdentifierMenstrualFlow	4	HKCategoryValueMenstrualFlowHeavy	heavy
        enum	HKCategoryTypeIdentifierMenstrualFlow	5	HKCategoryValueMenstrualFlowNone	none
        enum	HKCategoryTypeIdentifierOvulationTestResult	1	HKCategoryValueOvulationTestResultNegative	negative
        enum	HKCategoryTypeIdentifierOvulationTestResult	2	HKCategoryValueOvulationTestResultLuteinizingHormoneSurge	positive
        enum	HKCategoryTypeIdentifierOvulationTestResult	3	HKCategoryValueOvulationTestResultIndeterminate	indeterminate
        enum	HKCategoryTypeIdentifierOvulationTestResult	4	HKCategoryValueOvulationTestResultEstrogenSurge	estrogen_surge
        enum	HKCategoryTypeIdentifierCervicalMucusQuality	1	HKCategoryValueCervicalMucusQualityDry	dry
        enum	HKCategoryTypeIdentifierCervicalMucusQuality	2	HKCategoryValueCervicalMucusQualitySticky	sticky
        enum	HKCategoryTypeIdentifierCervicalMucusQuality	3	HKCategoryValueCervicalMucusQualityCreamy	creamy
        enum	HKCategoryTypeIdentifierCervicalMucusQuality	4	HKCategoryValueCervicalMucusQualityWatery	watery
        enum	HKCategoryTypeIdentifierCervicalMucusQuality	5	HKCategoryValueCervicalMucusQualityEggWhite	egg_white
        enum	symptom severity (most symptoms)	0	HKCategoryValueSeverityUnspecified	unspecified
        enum	symptom severity (most symptoms)	1	HKCategoryValueSeverityNotPresent	not_present
        enum	symptom severity (most symptoms)	2	HKCategoryValueSeverityMild	mild
        enum	symptom severity (most symptoms)	3	HKCategoryValueSeverityModerate	moderate
        enum	symptom severity (most symptoms)	4	HKCategoryValueSeveritySevere	severe
        enum	symptom presence (mood_changes, sleep_changes)	0	HKCategoryValuePresencePresent	present
        enum	symptom presence (mood_changes, sleep_changes)	1	HKCategoryValuePresenceNotPresent	not_present
        enum	HKCategoryTypeIdentifierAppetiteChanges	0	HKCategoryValueAppetiteChangesUnspecified	unspecified
        enum	HKCategoryTypeIdentifierAppetiteChanges	1	HKCategoryValueAppetiteChangesNoChange	no_change
        enum	HKCategoryTypeIdentifierAppetiteChanges	2	HKCategoryValueAppetiteChangesDecreased	decreased
        enum	HKCategoryTypeIdentifierAppetiteChanges	3	HKCategoryValueAppetiteChangesIncreased	increased
        activity	1	americanFootball	HKWorkoutActivityTypeAmericanFootball
        activity	2	archery	HKWorkoutActivityTypeArchery
        activity	3	australianFootball	HKWorkoutActivityTypeAustralianFootball
        activity	4	badminton	HKWorkoutActivityTypeBadminton
        activity	5	baseball	HKWorkoutActivityTypeBaseball
        activity	6	basketball	HKWorkoutActivityTypeBasketball
        activity	7	bowling	HKWorkoutActivityTypeBowling
        activity	8	boxing	HKWorkoutActivityTypeBoxing
        activity	9	climbing	HKWorkoutActivityTypeClimbing
        activity	10	cricket	HKWorkoutActivityTypeCricket
        activity	11	crossTraining	HKWorkoutActivityTypeCrossTraining
        activity	12	curling	HKWorkoutActivityTypeCurling
        activity	13	cycling	HKWorkoutActivityTypeCycling
        activity	14	dance	HKWorkoutActivityTypeDance
        activity	15	danceInspiredTraining	HKWorkoutActivityTypeDanceInspiredTraining
        activity	16	elliptical	HKWorkoutActivityTypeElliptical
        activity	17	equestrianSports	HKWorkoutActivityTypeEquestrianSports
        activity	18	fencing	HKWorkoutActivityTypeFencing
        activity	19	fishing	HKWorkoutActivityTypeFishing
        activity	20	functionalStrengthTraining	HKWorkoutActivityTypeFunctionalStrengthTraining
        activity	21	golf	HKWorkoutActivityTypeGolf
        activity	22	gymnastics	HKWorkoutActivityTypeGymnastics
        activity	23	handball	HKWorkoutActivityTypeHandball
        activity	24	hiking	HKWorkoutActivityTypeHiking
        activity	25	hockey	HKWorkoutActivityTypeHockey
        activity	26	hunting	HKWorkoutActivityTypeHunting
        activity	27	lacrosse	HKWorkoutActivityTypeLacrosse
        activity	28	martialArts	HKWorkoutActivityTypeMartialArts
        activity	29	mindAndBody	HKWorkoutActivityTypeMindAndBody
        activity	30	mixedMetabolicCardioTraining	HKWorkoutActivityTypeMixedMetabolicCardioTraining
        activity	31	paddleSports	HKWorkoutActivityTypePaddleSports
        activity	32	play	HKWorkoutActivityTypePlay
        activity	33	preparationAndRecovery	HKWorkoutActivityTypePreparationAndRecovery
        activity	34	racquetball	HKWorkoutActivityTypeRacquetball
        activity	35	rowing	HKWorkoutActivityTypeRowing
        activity	36	rugby	HKWorkoutActivityTypeRugby
        activity	37	running	HKWorkoutActivityTypeRunning
        activity	38	sailing	HKWorkoutActivityTypeSailing
        activity	39	skatingSports	HKWorkoutActivityTypeSkatingSports
        activity	40	snowSports	HKWorkoutActivityTypeSnowSports
        activity	41	soccer	HKWorkoutActivityTypeSoccer
        activity	42	softball	HKWorkoutActivityTypeSoftball
        activity	43	squash	HKWorkoutActivityTypeSquash
        activity	44	stairClimbing	HKWorkoutActivityTypeStairClimbing
        activity	45	surfingSports	HKWorkoutActivityTypeSurfingSports
        activity	46	swimming	HKWorkoutActivityTypeSwimming
        activity	47	tableTennis	HKWorkoutActivityTypeTableTennis
        activity	48	tennis	HKWorkoutActivityTypeTennis
        activity	49	trackAndField	HKWorkoutActivityTypeTrackAndField
        activity	50	traditionalStrengthTraining	HKWorkoutActivityTypeTraditionalStrengthTraining
        activity	51	volleyball	HKWorkoutActivityTypeVolleyball
        activity	52	walking	HKWorkoutActivityTypeWalking
        activity	53	waterFitness	HKWorkoutActivityTypeWaterFitness
        activity	54	waterPolo	HKWorkoutActivityTypeWaterPolo
        activity	55	waterSports	HKWorkoutActivityTypeWaterSports
        activity	56	wrestling	HKWorkoutActivityTypeWrestling
        activity	57	yoga	HKWorkoutActivityTypeYoga
        activity	58	barre	HKWorkoutActivityTypeBarre
        activity	59	coreTraining	HKWorkoutActivityTypeCoreTraining
        activity	60	crossCountrySkiing	HKWorkoutActivityTypeCrossCountrySkiing
        activity	61	downhillSkiing	HKWorkoutActivityTypeDownhillSkiing
        activity	62	flexibility	HKWorkoutActivityTypeFlexibility
        activity	63	highIntensityIntervalTraining	HKWorkoutActivityTypeHighIntensityIntervalTraining
        activity	64	jumpRope	HKWorkoutActivityTypeJumpRope
        activity	65	kickboxing	HKWorkoutActivityTypeKickboxing
        activity	66	pilates	HKWorkoutActivityTypePilates
        activity	67	snowboarding	HKWorkoutActivityTypeSnowboarding
        activity	68	stairs	HKWorkoutActivityTypeStairs
        activity	69	stepTraining	HKWorkoutActivityTypeStepTraining
        activity	70	wheelchairWalkPace	HKWorkoutActivityTypeWheelchairWalkPace
        activity	71	wheelchairRunPace	HKWorkoutActivityTypeWheelchairRunPace
        activity	72	taiChi	HKWorkoutActivityTypeTaiChi
        activity	73	mixedCardio	HKWorkoutActivityTypeMixedCardio
        activity	74	handCycling	HKWorkoutActivityTypeHandCycling
        activity	75	discSports	HKWorkoutActivityTypeDiscSports
        activity	76	fitnessGaming	HKWorkoutActivityTypeFitnessGaming
        activity	77	cardioDance	HKWorkoutActivityTypeCardioDance
        activity	78	socialDance	HKWorkoutActivityTypeSocialDance
        activity	79	pickleball	HKWorkoutActivityTypePickleball
        activity	80	cooldown	HKWorkoutActivityTypeCooldown
        activity	82	swimBikeRun	HKWorkoutActivityTypeSwimBikeRun
        activity	83	transition	HKWorkoutActivityTypeTransition
        activity	84	underwaterDiving	HKWorkoutActivityTypeUnderwaterDiving
        activity	3000	other	HKWorkoutActivityTypeOther
        """#
}
