"""Makes parquet.json, small Parquet files in base64, with pyarrow: python parquet.py"""

import base64
import io
import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
OPEN = 1_381_152_600_000_000


FILES: dict[str, str] = {}


def write(name: str, table: pa.Table, **options: object) -> None:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    FILES[name] = base64.b64encode(sink.getvalue()).decode("ascii")


bars = {
    "open": pa.array([168.1, 168.11]),
    "high": pa.array([168.2, 168.3]),
    "low": pa.array([168.05, 168.0]),
    "close": pa.array([168.11, 168.25]),
    "volume": pa.array([51200, 7], pa.int64()),
}
utc = pa.array([OPEN, OPEN + 60_000_000], pa.timestamp("us", tz="UTC"))
naive = pa.array([datetime(2013, 10, 7, 9, 30), datetime(2013, 10, 7, 9, 31)], pa.timestamp("ms"))
write("bars-utc", pa.table({"time": utc, **bars}), compression="snappy")
write("bars-naive", pa.table({"time": naive, **bars}), compression="gzip")
write("bars-zstd", pa.table({"time": utc, **bars}), compression="zstd")
write("days", pa.table({"date": pa.array([date(2013, 10, 4), date(2013, 10, 7)], pa.date32()), **bars}), compression="none")
write(
    "quotes",
    pa.table(
        {
            "ts": pa.array([OPEN * 1000 + 1_999, OPEN * 1000 + 5_000_000], pa.timestamp("ns", tz="America/New_York")),
            "symbol": pa.array(["SPY", "QQQ"]).dictionary_encode(),
            "bid": pa.array([168.1, None]),
            "bid_size": pa.array([12, None], pa.int32()),
            "ask": pa.array([Decimal("168.11"), Decimal("77.50")], pa.decimal128(9, 2)),
            "ask_size": pa.array([30, 5], pa.uint32()),
        }
    ),
)
write("floats", pa.table({"t": utc, "p": pa.array([168.11, 168.5], pa.float32()), "z": pa.array([1, 2])}))

(HERE / "parquet.json").write_text(json.dumps(FILES, indent=2) + "\n")
