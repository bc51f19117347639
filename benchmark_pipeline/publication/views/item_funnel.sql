-- From filings to the items of the headline, step by step: how many annual reports are left, and what became of each
-- usable report that is no item (one row a reason, with the step of the candidates).
SELECT 1 AS step, 'Annual reports in the index' AS stage, NULL AS reason, count(DISTINCT accession) AS filings
FROM filing_index WHERE role = 'annual'
UNION ALL
SELECT 2, 'Documents kept', NULL, count(DISTINCT accession)
FROM raw_filings WHERE role = 'annual' AND sha256 IS NOT NULL
UNION ALL
SELECT 3, 'Controls section found', NULL, count(DISTINCT accession)
FROM icfr_assertions WHERE extraction_status <> 'rejected'
UNION ALL
SELECT 4, 'Clean and attested, contradicted by nothing', NULL, count(DISTINCT accession)
FROM clean_pool WHERE decision = 'clean_attested'
UNION ALL
SELECT 5, 'Left out of the item set', reject_reason, count(DISTINCT accession)
FROM candidate_items
WHERE task = 'C' AND arm = 'verbatim' AND clean_rating = 'attested' AND reject_reason IS NOT NULL
GROUP BY reject_reason
UNION ALL
SELECT 6, 'Items of the headline', NULL, count(DISTINCT accession)
FROM labeled_items WHERE task = 'C' AND arm = 'verbatim' AND clean_rating = 'attested'
ORDER BY step, reason
