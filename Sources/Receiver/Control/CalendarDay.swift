import CanonicalJSON

/// The label of a day as the receiver names days: `yyyy-MM-dd`, without a time zone.
public typealias CalendarDay = CivilDate
