-- The tables of Bitbucket Server that oneclick.yaml reads, with sample data:
--
--   createdb bitbucket && psql -d bitbucket -f oneclick-demo.sql
--   DATABASE_URL=postgresql:///bitbucket wpexporter sql --config oneclick.yaml
--
-- Pull requests that are closed here leave the metrics after a minute; run the last statement to close them again.

CREATE TABLE project (id int PRIMARY KEY, project_key text NOT NULL);
CREATE TABLE repository (id int PRIMARY KEY, slug text NOT NULL, project_id int NOT NULL REFERENCES project);
CREATE TABLE sta_pull_request (
  id bigint PRIMARY KEY, scoped_id bigint NOT NULL, pr_state int NOT NULL, closed_timestamp timestamp,
  from_hash text NOT NULL, to_repository_id int NOT NULL REFERENCES repository,
  from_repository_id int NOT NULL REFERENCES repository
);
CREATE TABLE "AO_2AD648_INSIGHT_REPORT" (
  "ID" int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "REPORT_KEY" text NOT NULL, "RESULT_ID" int, "DATA" text,
  "COMMIT_ID" text NOT NULL, "REPOSITORY_ID" int NOT NULL
);
CREATE TABLE "AO_2AD648_MERGE_CHECK" (
  "ID" int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "RESOURCE_ID" int NOT NULL, "SCOPE_TYPE" text NOT NULL,
  "REPORT_KEY" text NOT NULL
);

INSERT INTO project VALUES (1, 'SHOP'), (2, 'CORE'), (3, '~alex');
INSERT INTO repository VALUES (10, 'web', 1), (11, 'basket', 1), (20, 'ledger', 2), (30, 'web', 3);

-- The last two columns are the target and the source: number 3 comes from a fork in a personal project.
INSERT INTO sta_pull_request VALUES
  (1, 1, 0, NULL, 'aaa1', 10, 10), (2, 2, 0, NULL, 'aaa2', 10, 10), (3, 3, 0, NULL, 'aaa3', 10, 30),
  (4, 1, 0, NULL, 'bbb1', 11, 11), (5, 2, 1, NULL, 'bbb2', 11, 11), (6, 1, 2, NULL, 'ccc1', 20, 20),
  (7, 1, 0, NULL, 'ddd1', 30, 30), (8, 4, 1, timestamp '2020-01-01', 'aaa4', 10, 10);

INSERT INTO "AO_2AD648_INSIGHT_REPORT" ("REPORT_KEY", "RESULT_ID", "DATA", "COMMIT_ID", "REPOSITORY_ID") VALUES
  ('ci', 1, NULL, 'aaa1', 10),
  ('codecoverage', 1, '[[{"title": "Lines", "value": 1200}, {"title": "Code Coverage", "value": 83.456}]]', 'aaa1', 10),
  ('sast', 0, NULL, 'aaa1', 10),
  ('ci', 0, NULL, 'aaa2', 10),
  -- The same commit in another repository, and the report of the fork's own repository.
  ('ci', 0, NULL, 'aaa1', 20), ('ci', 1, NULL, 'aaa3', 30),
  ('ci', 1, NULL, 'bbb1', 11), ('smoke', NULL, NULL, 'bbb1', 11),
  ('ci', 1, NULL, 'bbb2', 11), ('codecoverage', 1, '[[{"title": "Code Coverage", "value": "70%"}]]', 'bbb2', 11),
  ('ci', 1, NULL, 'ddd1', 30);

-- Project SHOP requires ci, and its repository web also codecoverage; CORE's ledger requires snyk.
INSERT INTO "AO_2AD648_MERGE_CHECK" ("RESOURCE_ID", "SCOPE_TYPE", "REPORT_KEY") VALUES
  (1, 'PROJECT', 'ci'), (10, 'REPOSITORY', 'codecoverage'), (10, 'REPOSITORY', 'ci'), (20, 'REPOSITORY', 'snyk'),
  (30, 'REPOSITORY', 'ci');

UPDATE sta_pull_request
SET closed_timestamp = date_trunc('minute', now() AT TIME ZONE 'UTC') - interval '10 seconds' WHERE id IN (5, 6);
