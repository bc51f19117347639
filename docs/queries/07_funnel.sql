-- From annual reports to clean items: how many each decision took.
SELECT decision, reason, sum(filings) AS filings FROM clean_pool_funnel GROUP BY ALL ORDER BY filings DESC;
