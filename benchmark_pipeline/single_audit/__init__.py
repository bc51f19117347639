"""Single Audit findings (2 CFR 200 subpart F) as the Federal Audit Clearinghouse (FAC) publishes them.

Rows in, rows out: the readers turn the API's JSON, its bulk CSV, the former Census tables and the filing workbooks
into the same records; `findings.build` groups them into one row a finding, masks names and says why a finding is not used.
"""
