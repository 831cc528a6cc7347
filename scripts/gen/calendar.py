#!/usr/bin/env python3
"""Writes packages/kestrel/src/market/calendar-xnys.ts: the closures and half days of the New York Stock Exchange.

Two well-kept packages are asked, and must agree on every day of every year, or nothing is written:

    python3 -m venv venv
    venv/bin/pip install exchange_calendars==4.13.2 pandas_market_calendars==5.5.0
    venv/bin/python scripts/gen/calendar.py            # writes the file
    venv/bin/python scripts/gen/calendar.py --check    # exits 1 if the file is not what would be written

The times are the scheduled ones of exchange_calendars. The days below are those on which pandas_market_calendars records
something else: interruptions of a running day, which a schedule does not hold, and one day on which the sources
disagree. A difference that is not in this table stops the script, so that a new one is looked at by a person.
"""

import sys
from collections import defaultdict
from pathlib import Path

# This file's name is also a standard module's: without its folder on the path, `import calendar` finds that one.
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

import exchange_calendars
import pandas as pd
import pandas_market_calendars

FIRST, LAST = "1990-01-01", "2030-12-31"
TARGET = Path(__file__).resolve().parents[2] / "packages/kestrel/src/market/calendar-xnys.ts"

# date -> (open, close) as pandas_market_calendars has it, and why it is left out of the schedule
INTERRUPTIONS = {
    "1990-12-27": ("09:31", "16:00", "a minute of silence"),
    "1991-01-17": ("09:31", "16:00", "a minute of silence"),
    "1991-02-25": ("09:31", "16:00", "a minute of silence"),
    "1994-02-11": ("09:30", "14:30", "snow"),
    "1995-12-18": ("10:30", "16:00", "computer trouble"),
    "1996-01-08": ("11:00", "14:00", "snow"),
    "1997-10-27": ("09:30", "15:30", "circuit breaker"),
    "1999-12-31": ("09:30", "16:00", "disputed: 13:00 in exchange_calendars"),
    "2001-09-17": ("09:33", "16:00", "moments of silence"),
    "2001-10-08": ("09:31", "16:00", "a minute of silence"),
    "2002-09-11": ("12:00", "16:00", "memorial ceremonies"),
    "2003-03-20": ("09:32", "16:00", "moments of silence"),
    "2004-06-07": ("09:32", "16:00", "moments of silence"),
    "2005-06-01": ("09:30", "15:56", "communications trouble"),
    "2006-12-27": ("09:32", "16:00", "moments of silence"),
}

# What anyone can look up; a package that lost one of these is not a source.
KNOWN_CLOSED = (
    "1994-04-27 2001-09-11 2001-09-12 2001-09-13 2001-09-14 2004-06-11 2007-01-02 2012-10-29 2012-10-30 2018-12-05 "
    "2021-12-24 2022-06-20 2025-01-09"
).split()
KNOWN_OPEN = "1990-01-15 1997-01-20 2001-09-17 2010-12-31 2021-06-18 2021-12-31 2027-12-31".split()
KNOWN_EARLY = {
    "1991-12-24": "14:00",
    "1992-11-27": "14:00",
    "1993-11-26": "13:00",
    "1997-12-26": "13:00",
    "2003-12-26": "13:00",
    "2013-07-03": "13:00",
    "2023-07-03": "13:00",
    "2024-11-29": "13:00",
    "2024-12-24": "13:00",
}


def schedule(opens: pd.Series, closes: pd.Series) -> dict[str, tuple[str, str]]:
    """Local open and close of every session, by date."""
    zone = "America/New_York"
    table = {}
    for day, opened, closed in zip(opens.index, opens.dt.tz_convert(zone), closes.dt.tz_convert(zone), strict=True):
        table[str(day.date())] = (opened.strftime("%H:%M"), closed.strftime("%H:%M"))
    return table


def agreed() -> dict[str, tuple[str, str]]:
    first = exchange_calendars.get_calendar("XNYS", start=FIRST, end=LAST).schedule
    second = pandas_market_calendars.get_calendar("NYSE").schedule(FIRST, LAST)
    ours = schedule(first["open"], first["close"])
    theirs = schedule(second["market_open"], second["market_close"])
    assert set(ours) == set(theirs), f"session days differ: {sorted(set(ours) ^ set(theirs))}"
    found = {day: theirs[day] for day in ours if ours[day] != theirs[day]}
    listed = {day: (opened, closed) for day, (opened, closed, _) in INTERRUPTIONS.items()}
    assert found == listed, f"a difference that nobody looked at: {set(found.items()) ^ set(listed.items())}"
    for day in KNOWN_CLOSED:
        assert day not in ours, f"{day} was closed"
    for day in KNOWN_OPEN:
        assert ours[day] == ("09:30", "16:00"), f"{day} was a full session"
    for day, closed in KNOWN_EARLY.items():
        assert ours[day] == ("09:30", closed), f"{day} closed at {closed}"
    assert all(opened == "09:30" for opened, _ in ours.values()), "every session opens at 09:30"
    return ours


def by_year(days: dict[str, str]) -> list[str]:
    years: dict[str, list[str]] = defaultdict(list)
    for day, suffix in sorted(days.items()):
        years[day[:4]].append(day[5:7] + day[8:] + suffix)
    return [f"    '{year} {' '.join(rest)}'," for year, rest in sorted(years.items())]


def render() -> str:
    sessions = agreed()
    weekdays = [str(day.date()) for day in pd.bdate_range(FIRST, LAST)]
    closures = {day: "" for day in weekdays if day not in sessions}
    early = {day: "@" + closed.replace(":", "") for day, (_, closed) in sessions.items() if closed != "16:00"}
    lines = [
        "/**",
        " * GENERATED by scripts/gen/calendar.py from exchange_calendars "
        f"{exchange_calendars.__version__}, cross-checked with pandas_market_calendars",
        f" * {pandas_market_calendars.__version__}: the closures and half days of the New York Stock Exchange. "
        "Not to be edited by hand.",
        " */",
        "",
        "export const XNYS = {",
        "  zone: 'America/New_York',",
        f"  first: '{FIRST}',",
        f"  last: '{LAST}',",
        "  open: '0930',",
        "  close: '1600',",
        "  /** A year, then the weekdays on which it was closed, as `MMDD`. */",
        "  closures: [",
        *by_year(closures),
        "  ],",
        "  /** A year, then the days that close early, as `MMDD@HHMM`, exchange local. */",
        "  earlyCloses: [",
        *by_year(early),
        "  ],",
        "} as const;",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    text = render()
    if "--check" in sys.argv[1:]:
        fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        print(f"{TARGET.name} is {'fresh' if fresh else 'stale: run scripts/gen/calendar.py'}")
        return 0 if fresh else 1
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
