"""Commands of `icfr-bench`. Each is a few lines: the work is in the modules it names."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmark_pipeline import __version__
from benchmark_pipeline.demo.profile import load_settings
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.settings import Settings

app = typer.Typer(
    name="icfr-bench",
    help="Benchmark of language models on internal control over financial reporting (ICFR).",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
models_app = typer.Typer(help="Models of models.yaml: list them, run them.", no_args_is_help=True)
app.add_typer(models_app, name="models")
console = Console(highlight=False)

ProfileOption = Annotated[
    str | None, typer.Option("--profile", help="`demo` or `full`; default: ICFR_BENCH_PROFILE, else demo.")
]


def main() -> None:
    """Entry point: an error that a user can act on is printed in one piece, without a traceback."""
    try:
        app(standalone_mode=True)
    except BenchError as error:
        Console(stderr=True, highlight=False).print(f"error: {error.what}", style="red", markup=False)
        if error.remedy:
            Console(stderr=True, highlight=False).print(f"remedy: {error.remedy}", markup=False)
        sys.exit(1)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    """Shared options."""
    if version:
        console.print(__version__)
        raise typer.Exit


@app.command()
def demo(
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete the demo's data first and start over.")] = False,
) -> None:
    """Build the demo dataset offline, run the embedded model and the baselines, print the headline."""
    from benchmark_pipeline.cli.demo import run_demo

    run_demo(load_settings("demo"), console, fresh=fresh)


@app.command()
def run(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print documents, requests and hours; fetch nothing.")
    ] = False,
    fiscal_year: Annotated[
        list[int] | None, typer.Option("--fiscal-year", "-y", help="Fiscal year; repeat for several.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="Model id of models.yaml; repeat for several.")
    ] = None,
) -> None:
    """Build the real dataset from EDGAR and the FAC, evaluate models, publish. Resumes where it stopped."""
    from benchmark_pipeline.cli.full import dry_run_report, run_full

    settings = load_settings("full")
    if fiscal_year:
        settings = Settings.model_validate({**settings.model_dump(), "fiscal_years": sorted(set(fiscal_year))})
    if dry_run:
        dry_run_report(settings, console)
    else:
        run_full(settings, console, models=model or [])


@app.command()
def ui(
    profile: ProfileOption = None,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000,
) -> None:
    """Open the Dagster UI on the profile's instance (bound to 127.0.0.1)."""
    from benchmark_pipeline.cli.ui import serve

    serve(load_settings(profile), port)


@app.command()
def pools(
    limit: Annotated[list[str] | None, typer.Argument(help="Limits to change, such as sec_http=1.")] = None,
    profile: ProfileOption = None,
) -> None:
    """Show how many runs may do the same thing at a time (EDGAR, FAC, judging, publishing), or change it."""
    from benchmark_pipeline.cli.pools import show_pools

    show_pools(load_settings(profile), console, limit or [])


@app.command()
def worker(
    profile: ProfileOption = None,
    runs: Annotated[int, typer.Option("--runs", "-c", min=1, help="Runs at a time on this machine.")] = 1,
) -> None:
    """Take runs from the broker (several machines: see docs/scale.md)."""
    from benchmark_pipeline.cli.worker import work

    work(load_settings(profile), runs)


review_app = typer.Typer(help="Human review: the local page, and the exchange with other tools.", rich_markup_mode=None)
app.add_typer(review_app, name="review")


@review_app.callback(invoke_without_command=True)
def review(
    context: typer.Context,
    profile: ProfileOption = None,
    reviewer: Annotated[str | None, typer.Option("--reviewer", help="Your name; the page asks otherwise.")] = None,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3100,
) -> None:
    """Open the review page (bound to 127.0.0.1); without a subcommand."""
    if context.invoked_subcommand is None:
        from benchmark_pipeline.review.serve import serve as serve_review

        serve_review(load_settings(profile), console, reviewer, port)


FormatOption = Annotated[str, typer.Option("--format", "-f", help="csv, label-studio, or label-studio-config.")]


@review_app.command(name="export")
def review_export(
    path: Annotated[Path, typer.Argument(help="File to write.")],
    profile: ProfileOption = None,
    output: FormatOption = "csv",
    blind: Annotated[
        bool, typer.Option("--blind", help="For a second reader: without drafted answers and others' decisions.")
    ] = False,
) -> None:
    """Write the items to review, with the decisions so far, for another tool."""
    from benchmark_pipeline.cli.review import export_reviews

    export_reviews(load_settings(profile), path, output, console, blind=blind)


@review_app.command(name="import")
def review_import(
    path: Annotated[Path, typer.Argument(help="CSV file, or JSON export of Label Studio.")],
    profile: ProfileOption = None,
) -> None:
    """Take decisions from a file: all of them, or, where any line is wrong, none."""
    from benchmark_pipeline.cli.review import import_reviews

    if not import_reviews(load_settings(profile), path, console):
        raise typer.Exit(1)


@review_app.command(name="apply")
def review_apply(profile: ProfileOption = None) -> None:
    """Apply the decisions so far: items, scores, headline, report and preview follow. No model is asked."""
    from benchmark_pipeline.cli.review import apply_decisions

    apply_decisions(load_settings(profile), console)


release_app = typer.Typer(help="Dataset releases: cut one, verify one.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(release_app, name="release")


@release_app.command(name="build")
def release_build(
    profile: ProfileOption = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Build the preview, which the gate does not stop.")
    ] = False,
) -> None:
    """Cut the dataset release. Refuses, naming the offenders, while an item waits for its human decision."""
    from benchmark_pipeline.cli.release import build

    build(load_settings(profile), console, preview=preview)


@release_app.command(name="verify")
def release_verify(folder: Annotated[Path, typer.Argument(help="Dataset folder.")]) -> None:
    """Recompute checksums, reviews, gate and headline from the folder alone."""
    from benchmark_pipeline.cli.release import verify_folder

    if not verify_folder(folder, console):
        raise typer.Exit(1)


ModelOption = Annotated[str, typer.Option("--model", "-m", help="Who drafts: a name of `icfr-bench models list`.")]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Passages at most; default: all that wait.")]
MaxCostOption = Annotated[float | None, typer.Option("--max-cost", min=0, help="US dollars at most.")]
TokensOption = Annotated[
    int | None, typer.Option("--answer-tokens", min=16, help="Tokens an answer may take; default: the question's own.")
]
BatchOption = Annotated[bool, typer.Option("--batch", help="Use the provider's batch API (OpenAI, Azure, vLLM).")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print calls, tokens and cost; ask nothing.")]

paraphrase_app = typer.Typer(help="Paraphrase twins by a model.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(paraphrase_app, name="paraphrase")
labels_app = typer.Typer(help="Labels of deficiencies by a model.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(labels_app, name="labels")


@paraphrase_app.command(name="draft")
def paraphrase_draft(  # noqa: PLR0917 - typer passes them by name
    model: ModelOption, limit: LimitOption = None, max_cost: MaxCostOption = None, answer_tokens: TokensOption = None,
    batch: BatchOption = False, dry_run: DryRunOption = False, profile: ProfileOption = None,
) -> None:  # fmt: skip
    """Ask a model to rewrite sections of Task C, and check each draft against the invariants. Resumes."""
    from benchmark_pipeline.cli.drafting import Drafter

    Drafter(load_settings(profile), console, model, limit=limit, max_cost_usd=max_cost, answer_tokens=answer_tokens,
            batch=batch, dry_run=dry_run).paraphrases()  # fmt: skip


@paraphrase_app.command(name="judge")
def paraphrase_judge(
    model: ModelOption, limit: LimitOption = None, max_cost: MaxCostOption = None,
    dry_run: DryRunOption = False, profile: ProfileOption = None,
) -> None:  # fmt: skip
    """Ask a model whether usable twins and their originals say the same, both ways (advisory). Resumes."""
    from benchmark_pipeline.cli.drafting import Drafter

    Drafter(load_settings(profile), console, model, limit=limit, max_cost_usd=max_cost, dry_run=dry_run).judgements()


@labels_app.command(name="draft")
def labels_draft(  # noqa: PLR0917 - typer passes them by name
    model: ModelOption, limit: LimitOption = None, max_cost: MaxCostOption = None, answer_tokens: TokensOption = None,
    batch: BatchOption = False, dry_run: DryRunOption = False, profile: ProfileOption = None,
) -> None:  # fmt: skip
    """Ask a model for component, reference and evidence of unlabelled weaknesses and findings. Resumes."""
    from benchmark_pipeline.cli.drafting import Drafter

    Drafter(load_settings(profile), console, model, limit=limit, max_cost_usd=max_cost, answer_tokens=answer_tokens,
            batch=batch, dry_run=dry_run).labels()  # fmt: skip


@app.command()
def trace(
    what: Annotated[str, typer.Argument(help="`headline`, or an item id.")],
    profile: ProfileOption = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="With `headline`: the model to follow.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="With `headline`: items shown in full.")] = 3,
) -> None:
    """Follow a number back: headline, item, clean-pool decision with each step, filing, document, sentence."""
    from benchmark_pipeline.cli.inspect import print_trace

    print_trace(load_settings(profile), what, model, console, limit)


@app.command()
def why(
    accession: Annotated[str, typer.Argument(help="Accession number of an annual report.")],
    profile: ProfileOption = None,
) -> None:
    """Explain why a filing is clean, deficient or excluded: the steps, the evidence, the documents."""
    from benchmark_pipeline.cli.inspect import print_why

    print_why(load_settings(profile), accession, console)


# A statement may begin with a comment, which would else be taken for an option.
@app.command(context_settings={"ignore_unknown_options": True})
def query(
    sql: Annotated[str, typer.Argument(help='SQL, for example "SELECT * FROM headline", or a file that ends in .sql.')],
    profile: ProfileOption = None,
    output: Annotated[str, typer.Option("--format", "-f", help="table, csv or json.")] = "table",
) -> None:
    """Run SQL on the published warehouse, read-only."""
    from benchmark_pipeline.cli.inspect import print_query

    print_query(load_settings(profile), sql, output, console)


report = typer.Typer(help="The static HTML report.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(report, name="report")


@report.command("open")
def report_open(
    profile: ProfileOption = None,
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Print where the report is, and open it in the browser."""
    from benchmark_pipeline.cli.publish import open_report

    open_report(load_settings(profile), console, browser=browser)


@app.command()
def export(
    table: Annotated[str, typer.Argument(help="Table or view of the warehouse.")],
    profile: ProfileOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; default: TABLE.FORMAT here.")] = None,
    kind: Annotated[str, typer.Option("--format", "-f", help="csv, json or parquet.")] = "csv",
) -> None:
    """Write a table or view to a file; a CSV cell that a spreadsheet would run as a formula is defused."""
    from benchmark_pipeline.cli.publish import export as write_export

    write_export(load_settings(profile), table, kind, output, console)


@app.command()
def doctor(profile: ProfileOption = None) -> None:
    """Say what is missing on this machine, and the exact remedy for each."""
    from benchmark_pipeline.cli.doctor import examine

    if not examine(load_settings(profile), console):
        raise typer.Exit(1)


@app.command(name="reference-pages")
def reference_pages(
    folder: Annotated[Path, typer.Argument(help="Folder to write to.")] = Path("docs"),
) -> None:
    """Write the pages of docs/ that are generated from the code: data dictionary and clean-pool rules."""
    from benchmark_pipeline.icfr import decision_page
    from benchmark_pipeline.tables import dictionary

    for name, text in (("data_dictionary.md", dictionary.render()), ("clean_pool.md", decision_page.render())):
        (folder / name).write_text(text, encoding="utf-8")
        console.print(f"wrote {folder / name}")


@models_app.command(name="list")
def models_list(profile: ProfileOption = None) -> None:
    """List the models with price, key, and how many calls of each task have their answer."""
    from benchmark_pipeline.cli.models import print_models

    print_models(load_settings(profile), console)


@models_app.command(name="run")
def models_run(  # noqa: PLR0917 - typer passes them by name
    model: Annotated[list[str], typer.Argument(help="Names as `icfr-bench models list` prints them.")],
    tasks: Annotated[str, typer.Option("--tasks", "-t", help="Tasks, such as A,C; default: all.")] = "A,B,C,D",
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="US dollars that this command may cost at most.")
    ] = None,
    batch: Annotated[bool, typer.Option("--batch", help="Use the provider's batch API (OpenAI, Azure, vLLM).")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print calls, tokens and cost for each model; ask nothing.")
    ] = False,
    profile: ProfileOption = None,
) -> None:
    """Ask models every item of the profile's dataset. Resumes: what was answered is not asked or paid again."""
    from benchmark_pipeline.cli.models import run_models

    run_models(load_settings(profile), console, model, tasks=tasks, max_cost_usd=max_cost, batch=batch, dry_run=dry_run)
