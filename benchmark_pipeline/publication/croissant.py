"""Croissant metadata of a dataset folder: core vocabulary 1.1 with the Responsible-AI fields.

Files are named with their checksums, so that a loader can tell that it has these bytes. Nested columns (spans, lists)
are left to the JSON Lines files beside the Parquet files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark_pipeline.tables import duckdb_type
from benchmark_pipeline.tables.items import TASKS, ItemRow

_TYPES = {
    "VARCHAR": "sc:Text",
    "BIGINT": "sc:Integer",
    "DOUBLE": "sc:Float",
    "BOOLEAN": "sc:Boolean",
    "DATE": "sc:Date",
}
_CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/", "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract", "field": "cr:field",
    "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty", "fileSet": "cr:fileSet", "format": "cr:format",
    "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key",
    "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
    "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace",
    "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip
RESPONSIBLE_AI = {
    "rai:dataCollection": "Annual reports from EDGAR by full index and submissions lists; Single Audit findings from the "
    "Federal Audit Clearinghouse API; scenarios authored in pairs. Every decision on a filing is kept with its steps.",
    "rai:dataAnnotationProtocol": "A written labelling guide. Labels follow from what was filed, or are drafted by a named "
    "model and decided by people; two readers a judgement, the second blind; disagreement is adjudicated.",
    "rai:dataLimitations": "A clean label is an absence of disclosed weakness, not of weakness. English filings only. Not "
    "audit evidence, and not an assessment of any company's controls.",
    "rai:dataBiases": "Filers that are audited, file in English and publish readable sections are over-represented; "
    "control activities dominate the disclosed components.",
    "rai:dataUseCases": "Measuring language models on reading ICFR disclosures and judging control designs. Not for "
    "training, and not for decisions about companies or people.",
    "rai:personalSensitiveInformation": "Filings and findings are public records and may name officers and auditors in "
    "their professional roles; nothing else about people is collected.",
    "rai:dataReleaseMaintenancePlan": "Releases are immutable. A label that later evidence contradicts is withdrawn in the "
    "next version and listed in withdrawn.jsonl.",
}


def croissant(folder: Path, version: str, published: str, data: Sequence[str], labels: Sequence[str]) -> str:
    """The JSON-LD text for a folder whose data files are written.

    Args:
        folder: the dataset folder.
        version: dataset version; Croissant wants a semantic version and warns about others.
        published: day of the snapshot (YYYY-MM-DD).
        data: columns of `data/`.
        labels: columns of `labels/`.
    """
    files: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    for part, columns in (("data", data), ("labels", labels)):
        for task in TASKS:
            name = f"{part}/task_{task.lower()}/test.parquet"
            if not (folder / name).is_file():
                continue
            key = name.removesuffix(".parquet").replace("/", "-")
            files.append({
                "@type": "cr:FileObject", "@id": key, "name": key, "contentUrl": name,
                "encodingFormat": "application/x-parquet",  # the name that Croissant loaders know
                "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
            })  # fmt: skip
            records.append(_record_set(key, columns))
    record = {
        "@context": _CONTEXT, "@type": "sc:Dataset", "name": "icfr-benchmark",
        "description": "Questions on internal control over financial reporting (ICFR) for language models, with the "
        "false-positive rate on attested clean disclosures as headline measure.",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "license": "https://creativecommons.org/licenses/by/4.0/", "version": version, "datePublished": published,
        "inLanguage": "en", "isLiveDataset": False,
        "creator": {"@type": "Organization", "name": "The ICFR benchmark contributors"},
        "citeAs": f"The ICFR benchmark contributors: Reference benchmark of language models on internal control over "
        f"financial reporting, version {version}.",
        **RESPONSIBLE_AI, "distribution": files, "recordSet": records,
    }  # fmt: skip
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _record_set(file: str, columns: Sequence[str]) -> dict[str, Any]:
    fields = []
    for name in columns:
        column = ItemRow.model_fields[name]
        kind = _TYPES.get(duckdb_type(column.annotation))
        if kind is not None:
            fields.append({
                "@type": "cr:Field", "@id": f"{file}-records/{name}", "name": name, "dataType": kind,
                "description": (column.description or "").strip(),
                "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
            })  # fmt: skip
    return {
        "@type": "cr:RecordSet", "@id": f"{file}-records", "name": f"{file}-records",
        "key": {"@id": f"{file}-records/item_id"}, "field": fields,
    }  # fmt: skip
