-- who comes by SSH shows a key, and nothing else
CREATE INDEX ssh_keys_fingerprint ON ssh_keys (fingerprint);
