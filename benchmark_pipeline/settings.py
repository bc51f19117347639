"""Settings of a pipeline: where its data rests, which years it covers, whom it asks.

Every setting can be given by an environment variable with the prefix `ICFR_BENCH_`. Two profiles share the code: `demo`
(the authored corpus behind a local replay server) and `full` (EDGAR and the FAC). Each profile has a data folder and a
Dagster instance of its own, so that the demo can never be taken for a part of a larger dataset.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

Profile = Literal["demo", "full"]

PROJECT_ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """All settings; immutable once read."""

    model_config = SettingsConfigDict(
        env_prefix="ICFR_BENCH_", frozen=True, extra="ignore", use_attribute_docstrings=True
    )

    profile: Profile = "demo"
    """`demo` or `full`."""
    data_root: Path = PROJECT_ROOT / "data"
    """Folder below which each profile keeps its data."""
    storage_url: str | None = None
    """fsspec URL of lake and document store (`s3://bucket/prefix`); null keeps them in the profile's folder."""
    fiscal_years: list[int] = Field(default_factory=lambda: [2023, 2024, 2025, 2026])
    """Fiscal years to build (JSON list)."""
    audit_years: list[int] = Field(default_factory=lambda: [2022, 2023, 2024])
    """Single Audit years to build (JSON list)."""
    snapshot_date: date | None = None
    """Everything filed up to this day is considered; null means today."""
    dataset_version: str = "0.1.0"
    """Version of the dataset that is built."""
    items_per_registrant: int = Field(default=1, ge=1)
    """Items of one task that one registrant may give; the intervals are clustered by company in any case."""
    item_targets: dict[str, int] = Field(default_factory=dict)
    """Items wanted by kind (`C/attested`, `A/single_audit`, `D`, …; JSON object) where they differ from
    `items.selection.TARGETS`."""
    keep_items_of: Path | None = None
    """Folder of an earlier release whose items stay chosen, beside those of the build before; null: none. For a machine
    that has not built them itself."""
    choose_items_anew: bool = False
    """Forget what the build before chose. By default a chosen item stays while it is a candidate, so that adding a fiscal
    year adds items and reshuffles none."""
    diagnostic_arms: list[Literal["names_masked", "conclusion_masked"]] = Field(default_factory=list)
    """Diagnostic arms of Task C to build beside the items as filed (JSON list). Each asks every Task C item once more."""

    holdout_share: float = Field(default=0.0, ge=0, lt=1)
    """Share of companies and scenario pairs whose items stay private: they are kept apart from every release."""

    edgar_identity: str | None = None
    """`Name email`: sent as User-Agent, demanded by the SEC's fair-access rules."""
    edgar_www_url: str = "https://www.sec.gov"
    """Archives host."""
    edgar_data_url: str = "https://data.sec.gov"
    """Submissions host."""
    edgar_efts_url: str = "https://efts.sec.gov"
    """Full-text search host."""
    edgar_requests_per_second: float = Field(default=8.0, gt=0, le=10)
    """Process-wide; the SEC permits ten a second over all machines of a user."""
    edgar_submissions: Literal["api", "bulk"] = "api"
    """How registrants' lists of filings are had: `api` asks for each, `bulk` brings the nightly archive of all (one
    request, about 1.5 GB on disk) and asks only for those that have filed since. The rows are the same."""
    notes_data_sets: bool = False
    """Compare cover-page facts with the SEC's Financial Statement and Notes data sets (a gigabyte or more a quarter)."""
    connect_to: str | None = None
    """`http://host:port` to connect to in place of the hosts above: a replay server or a mirror. Addresses in tables
    stay the ones above, and the SEC's rate does not apply, since nothing reaches it."""
    fac_url: str = "https://api.fac.gov"
    """Federal Audit Clearinghouse API."""
    fac_api_key: SecretStr | None = None
    """Key from api.data.gov."""

    partitions_per_run: int | None = Field(default=None, ge=1)
    """Partitions of one run of a backfill; null takes all of them in one run, which is right for one machine. A cluster
    shares the runs out, so that 1 uses as many machines as there are years."""
    new_model_budget_usd: float = Field(default=0.0, ge=0)
    """US dollars that the sensor for new models may spend on one task of a model; 0 asks only models that cost nothing."""

    repository_url: str | None = None
    """Address of the source repository; the UI then links each asset to its code there."""
    models_file: Path = PROJECT_ROOT / "models.yaml"
    """Which models are evaluated, with prices and training cutoffs."""
    prompts_folder: Path = PROJECT_ROOT / "prompts"
    """Prompt templates."""
    prompt_version: str = "pv1"
    """Prompt set to use."""
    scenarios_folder: Path = PROJECT_ROOT / "scenarios"
    """Task B scenarios."""
    labels_folder: Path | None = None
    """Drafted labels for Single Audit findings and Task D passages; null: none."""
    paraphrases_folder: Path | None = None
    """Drafted paraphrases; null: none."""
    paraphrase_model: str | None = None
    """Model of models.yaml that drafts paraphrases when `paraphrased_subset` is built; null: none (there is a command too)."""
    paraphrase_drafts: int = Field(default=0, ge=0)
    """Sections that it drafts at most. A budget in money is an option of the command `icfr-bench paraphrase draft`."""

    @model_validator(mode="after")
    def _years(self) -> Settings:
        if not self.fiscal_years:
            raise ValueError('ICFR_BENCH_FISCAL_YEARS is empty: give a JSON list such as "[2024, 2025]"')
        return self

    @property
    def folder(self) -> Path:
        """Data folder of the profile."""
        return self.data_root / self.profile

    @property
    def storage_root(self) -> str:
        """Root of lake and document store."""
        return self.storage_url or str(self.folder)

    @property
    def dagster_home(self) -> Path:
        """Dagster instance of the profile."""
        return self.folder / "dagster"

    @property
    def warehouse_path(self) -> Path:
        """The published DuckDB file."""
        return self.folder / "warehouse.duckdb"

    @property
    def report_path(self) -> Path:
        """The published report."""
        return self.folder / "report" / "index.html"

    @property
    def releases_folder(self) -> Path:
        """Published dataset folders."""
        return self.folder / "releases"

    @property
    def private_folder(self) -> Path:
        """Items that are held out of releases."""
        return self.folder / "private"

    @property
    def response_log_folder(self) -> Path:
        """Append-only log of model responses."""
        return self.folder / "logs" / "responses"

    @property
    def fetch_log_folder(self) -> Path:
        """Append-only log of retrieved documents."""
        return self.folder / "logs" / "fetches"

    @property
    def review_log_folder(self) -> Path:
        """Append-only log of human decisions."""
        return self.folder / "logs" / "reviews"

    @property
    def drafts_folder(self) -> Path:
        """Append-only log of what drafting models proposed."""
        return self.folder / "logs" / "drafts"

    @property
    def judged_folder(self) -> Path:
        """Fingerprints of what each registrant was judged from; it may be deleted, and everyone is judged again."""
        return self.folder / "judged"

    @property
    def as_of(self) -> date:
        """The snapshot date in force."""
        return self.snapshot_date or datetime.now(UTC).date()
