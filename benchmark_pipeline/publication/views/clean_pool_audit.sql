-- Each step of each filing's clean-pool decision, in order, with what the step saw.
SELECT
    p.accession, p.cik, a.company_name, p.form, p.fiscal_year, p.period_end, p.decision, p.reason, p.decided_at_step,
    t.step.step AS step, t.step.rule AS rule, t.step.outcome AS outcome, t.step.saw AS saw,
    p.evidence_ids, p.rule_version, p.snapshot_date
FROM clean_pool AS p
CROSS JOIN LATERAL (SELECT unnest(p.trace) AS step) AS t
LEFT JOIN icfr_assertions AS a ON a.accession = p.accession AND a.cik = p.cik
ORDER BY p.accession, p.cik, step
