m1top list metrics --demo --json "cache_miss*"
