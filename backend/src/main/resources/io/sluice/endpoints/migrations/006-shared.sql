-- What is shared is little of what there is, and asked for by every home page.
CREATE INDEX endpoints_shared ON endpoints (since DESC) WHERE state <> 'ended' AND cardinality(shared) > 0;
