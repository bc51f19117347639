-- How many annual reports each decision and reason took, by fiscal year and form.
SELECT fiscal_year, form, decision, reason, count(*) AS filings, count(DISTINCT cik) AS registrants
FROM clean_pool
GROUP BY ALL
ORDER BY fiscal_year, form, decision, reason
