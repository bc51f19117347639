-- Where every item comes from: its filing, finding or scenario, the document by SHA-256, the characters and the sentence,
-- and for filings the clean-pool decision.
SELECT
    dataset.dataset_version, i.item_id, i.task, i.arm, i.population, i.source_ref, i.review_status, i.label_source, i.drafted_by,
    i.gold_icfr, i.clean_rating, i.twin_of, i.company_key,
    i.accession, i.cik, i.form, a.company_name, a.period_end, a.filed_date,
    home.folder || '/' || i.accession || '-index.htm' AS filing_index_url,
    d.url AS document_url, d.document_name, d.document_type, d.retrieved_at,
    i.source_span.document_sha256 AS document_sha256,
    i.source_span.start AS span_start, i.source_span."end" AS span_end, i.source_span.quote AS span_quote,
    a.mgmt_conclusion_span AS management_sentence,
    p.decision, p.reason AS decision_reason, p.decided_at_step, p.trace AS decision_trace, p.attest_basis,
    p.attest_opinion_span AS auditor_sentence, p.evidence_ids, p.seasoning_tier,
    f.report_id, f.reference_number, f.audit_year, f.source_sha256 AS finding_page_sha256,
    f.text_sha256 AS finding_text_sha256,
    s.scenario_id, s.source_path AS scenario_path, s.source_sha256 AS scenario_file_sha256
FROM labeled_items AS i
CROSS JOIN dataset
LEFT JOIN icfr_assertions AS a ON a.accession = i.accession AND a.cik = i.cik
LEFT JOIN clean_pool AS p ON p.accession = i.accession AND p.cik = i.cik
LEFT JOIN (
    SELECT accession, sha256, first(url ORDER BY url) AS url, first(document_name ORDER BY url) AS document_name,
        first(document_type ORDER BY url) AS document_type, min(retrieved_at) AS retrieved_at
    FROM raw_filings WHERE sha256 IS NOT NULL GROUP BY accession, sha256
) AS d ON d.accession = i.accession AND d.sha256 = i.source_span.document_sha256
LEFT JOIN (
    -- The folder that the documents really came from: the demo's filings have no page at the SEC.
    SELECT accession, regexp_replace(min(url), '/[^/]*$', '') AS folder FROM raw_filings GROUP BY accession
) AS home ON home.accession = i.accession
LEFT JOIN single_audit_findings AS f
    ON i.population = 'single_audit' AND contains(i.source_ref, f.report_id)
    AND regexp_matches(i.source_ref, '(^|[^0-9A-Za-z-])' || regexp_escape(f.reference_number) || '($|[^0-9A-Za-z-])')
LEFT JOIN scenarios AS s ON i.population = 'synthetic_scenario' AND s.scenario_id = i.pair_id || '.' || i.pair_role
