#!/usr/bin/env python3
"""Makes a small file of an export of nsys: only the tables that are read, only the strings that they
name, and nothing that tells of a machine or its users.

Usage: trim_export.py EXPORT.sqlite TRIMMED.sqlite
"""

import sqlite3
import sys
from pathlib import Path

READ = ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "NVTX_EVENTS", "PROFILER_OVERHEAD", "TARGET_INFO_GPU"]
STRINGS = ["demangledName", "shortName", "nameId", "textId"]
META = ("EXPORT_PRODUCT_NAME", "EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION")


def main(source, target):
    Path(target).unlink(missing_ok=True)
    db = sqlite3.connect(target)
    db.execute("ATTACH ? AS source", (source,))
    tables = dict(db.execute("SELECT name, sql FROM source.sqlite_master WHERE type = 'table'"))
    used = set()
    for name in [table for table in READ if table in tables]:
        db.execute(tables[name])
        db.execute(f"INSERT INTO main.{name} SELECT * FROM source.{name}")
        columns = {row[1] for row in db.execute(f"PRAGMA main.table_info({name})")}
        for column in columns.intersection(STRINGS):
            used.update(row[0] for row in db.execute(f"SELECT DISTINCT {column} FROM main.{name}"))
        if "mangledName" in columns:
            db.execute(f"UPDATE main.{name} SET mangledName = NULL")
    for name in ("uuid", "busLocation"):
        db.execute(f"UPDATE main.TARGET_INFO_GPU SET {name} = ''")
    db.execute(tables["StringIds"])
    db.executemany("INSERT INTO main.StringIds SELECT * FROM source.StringIds WHERE id = ?",
                   [(string,) for string in used if string is not None])
    of_export = next(name for name in ("META_DATA_EXPORT", "EXPORT_META_DATA") if name in tables)
    db.execute(tables[of_export])
    db.executemany(f"INSERT INTO main.{of_export} SELECT * FROM source.{of_export} WHERE name = ?",
                   [(name,) for name in META])
    db.execute(tables["PROCESSES"])
    db.execute("INSERT INTO main.PROCESSES SELECT * FROM source.PROCESSES WHERE globalPid >> 24 IN "
               "(SELECT globalTid >> 24 FROM main.CUPTI_ACTIVITY_KIND_RUNTIME)")
    # Without the folder, whatever its name.
    db.execute("UPDATE main.PROCESSES SET name = replace(name, rtrim(name, replace(name, '/', '')), '')")
    db.commit()
    db.execute("DETACH source")
    db.execute("PRAGMA page_size = 1024")
    db.execute("VACUUM")
    db.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
