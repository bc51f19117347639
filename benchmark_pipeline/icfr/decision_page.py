"""The page that tells a reader how a filing is judged, rendered from the rules themselves."""

from __future__ import annotations

import inspect

from .decision_order import DECISION_ORDER, RULE_VERSION

_HEAD = """# The clean pool

Every annual report gets exactly one decision: `clean_attested`, `clean_management_only`, `deficient`, or `excluded` with
a reason from a closed list. The rules below are tried in order and the first that decides wins; each step and what it saw
is stored in `clean_pool.trace`, and `icfr-bench why ACCESSION` prints it. Rules {version}. This page is generated from
the rules by `icfr-bench reference-pages`; a test fails when it is out of date.

| step | rule | what it decides |
|---|---|---|
"""

_EVIDENCE = """
## What contradicts a clean label

| code | evidence | effect |
|---|---|---|
| E1 | an amendment for the same year end that changes a conclusion to not effective | excluded |
| E2 | an Item 4.02 notice (or its foreign counterpart) whose periods overlap the year | excluded |
| E3 | a later annual report: a weakness existed at that earlier year end | excluded |
| E4 | a later report: a weakness caused an error in that year's statements, and they are restated | excluded |
| E5 | an interim report filed before the next annual report: a weakness existed at that year end | excluded |
| E6 | the auditor withdraws its ICFR opinion, or reports upon leaving that controls did not exist | excluded |
| E7 | a later weakness is said to come from an event after the year end | kept |
| E8 | the next annual report states a weakness and not since when | waits for a person; meanwhile excluded |
| E9 | the next annual report corrects errors of the year without admitting a weakness | kept, `little_r_overlap` |
| E10 | an enforcement release or proceeding that names the year, recorded by a reviewer | excluded |
| E11 | a late-filing notice spoke of a possible weakness, and the report says effective | kept, `nt_signal` |

A filing that states a weakness is `deficient` whatever comes later. Periods are compared by date, with ten days'
tolerance, never by fiscal-year number.

## One registrant, several CIKs

A registrant is known by its CIK. A change of name keeps it (`formerNames` in EDGAR's submissions), and a filing of
co-registrants is in the list of each. A successor issuer (a holding company above the old one, a reincorporation, a merger
into a new company) gets another CIK and reports the succession on Form 8-K12B, 8-K12G3 or 8-K15D5 (Exchange Act Rules
12g-3 and 15d-5). Where such a filing is listed under both CIKs, the filer with annual reports before it is the
predecessor and the one without is the successor: what the successor files from that day on (annual reports, amendments,
notices, interim reports) is evidence about the predecessor's earlier reports and counts as their follow-up. Two filers
that both reported before give no direction, and no link is made.

## What waits for a person

`icfr.questions.open_questions(evidence, clean_pool)` lists the ambiguous rows of `contradicting_evidence` on whose answer
a label hangs: a weakness of unstated onset (E8), a notice whose periods could not be read or that was taken back (E2), an
auditor's departure over a weakness without a period (E6). A filing with direct evidence against it is not asked about.
Each question holds its id, the question in words, the sentence with its place, both filings and the answers.

Answers are JSON Lines in the append-only log `logs/reviews/evidence/`, made on the review page
(`icfr-bench review`) and applied by `contradicting_evidence` the next time it runs (`icfr-bench review apply`):

| field | meaning |
|---|---|
| `answer_id` | stable id of the answer |
| `evidence_id` | the question: `contradicting_evidence.evidence_id` |
| `text_sha256` | the version that was asked; an answer to another version stays in the log and has no effect |
| `resolution` | `upholds` (excluded), `dismissed` (no longer stands), `skip`, or `undo` of the answer that `voids` names |
| `reviewer` | a person; a record without one, or with a model's id (`vendor/model`), is an error |
| `reason` | what in the documents decides |
| `seconds` | time on the question |
| `decided_at` | when, UTC, ISO 8601 |

Of one reviewer the latest answer counts; over reviewers `upholds` outweighs `dismissed`. Direct evidence cannot be
dismissed. A reviewer enters an enforcement release or a proceeding as a record with `code: E10`, `accession`, `cik`,
`evidence_accession`, `evidence_form`, `evidence_filed_date` (YYYY-MM-DD) and `reviewer`.

## Judging again

The inputs of every registrant, and of its successors, are fingerprinted. A run judges only the registrants of whose filings, documents, notices
or evidence something changed and copies the rows of the others, seasoned to the snapshot date; the result is the same,
byte for byte, as if everyone were judged again. Deleting the profile's `judged` folder makes a run judge everyone.

An item of a published release whose filing is no longer decided as its label needs is listed in `withdrawn_items` with
the evidence, and the next dataset version is built without it. Releases and results already published are not edited.

## What is not seen

- A successor's notice that names only its own CIK as filer gives no link to the predecessor; nor does a succession that
  was never reported on Form 8-K.
- Mergers and bankruptcies have no form of their own: `followup_ended` says `form15` or `revoked` and never these.
- Enforcement and litigation (E10) enter only by a reviewer's record.

## Seasoning

`S0`: no next annual report yet. `S1`: it was read and contradicts nothing. `S2`: the second was read, or 900 days have
passed. A filer that left (`followup_ended`: a Form 15 after which no report was filed, or a revoked registration) never
reaches `S1`; it stays in `S0` until the 900 days are over, and is marked. Recent filings stay in the pool and are shown by tier; one that is contradicted later leaves with the next
dataset version.
"""


def render() -> str:
    """The whole page as Markdown."""
    lines = [
        f"| {number} | `{rule.__name__}` | {_first_paragraph(rule)} |" for number, rule in enumerate(DECISION_ORDER)
    ]
    return _HEAD.format(version=RULE_VERSION) + "\n".join(lines) + "\n" + _EVIDENCE


def _first_paragraph(rule: object) -> str:
    text = " ".join((inspect.getdoc(rule) or "").split("\n\n")[0].split())
    return text.split(": ", 1)[-1].replace("|", "\\|")
