/** The version of the tables below. A process refuses a database with a newer one. */
export const SCHEMA_VERSION = 1

/**
 * The tables of fleets. The workflows and their steps are in the tables of DBOS; these hold what DBOS does not have: tenants and
 * their limits, the queue that applies them, leases of workers, questions, schedules, and bodies that are stored once by hash.
 */
export const SCHEMA_SQL = `
CREATE TABLE haft_fleet.tenants (
  name text PRIMARY KEY,
  max_running int,
  rate_count int,
  rate_seconds int,
  budget_tokens bigint,
  budget_usd numeric,
  webhook_url text,
  webhook_secret_ref text,
  is_paused boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE haft_fleet.limits (name text PRIMARY KEY, value int NOT NULL);

CREATE TABLE haft_fleet.tokens (
  hash bytea PRIMARY KEY,
  tenant text NOT NULL REFERENCES haft_fleet.tenants ON DELETE CASCADE,
  label text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (tenant, label)
);

CREATE TABLE haft_fleet.workers (
  id text PRIMARY KEY,
  host text NOT NULL,
  slots int NOT NULL,
  layout int NOT NULL,
  is_draining boolean NOT NULL DEFAULT false,
  started_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

CREATE TABLE haft_fleet.runs (
  id text PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  tenant text NOT NULL REFERENCES haft_fleet.tenants ON DELETE CASCADE,
  key text,
  state text NOT NULL DEFAULT 'queued',
  priority int NOT NULL DEFAULT 0,
  spec jsonb NOT NULL,
  layout int NOT NULL,
  attempt int NOT NULL DEFAULT 0,
  worker text,
  schedule text,
  forked_from text,
  created_at timestamptz NOT NULL DEFAULT now(),
  not_before timestamptz NOT NULL DEFAULT now(),
  queued_at timestamptz NOT NULL DEFAULT now(),
  first_started_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  tokens bigint NOT NULL DEFAULT 0,
  cost_usd numeric NOT NULL DEFAULT 0,
  end_reason text,
  answer text,
  problem text,
  results jsonb,
  UNIQUE (tenant, key)
);
CREATE INDEX runs_queued ON haft_fleet.runs (tenant, (attempt = 0), priority DESC, seq) WHERE state = 'queued';
CREATE INDEX runs_running ON haft_fleet.runs (tenant) WHERE state = 'running';
CREATE INDEX runs_worker ON haft_fleet.runs (worker) WHERE state = 'running';
CREATE INDEX runs_started ON haft_fleet.runs (tenant, first_started_at);
CREATE INDEX runs_listed ON haft_fleet.runs (tenant, seq DESC);

CREATE TABLE haft_fleet.bodies (
  tenant text NOT NULL REFERENCES haft_fleet.tenants ON DELETE CASCADE,
  hash text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (tenant, hash)
);

CREATE TABLE haft_fleet.questions (
  id text PRIMARY KEY,
  run text NOT NULL REFERENCES haft_fleet.runs ON DELETE CASCADE,
  tenant text NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  question jsonb NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT now(),
  answer jsonb,
  answered_by text,
  answered_at timestamptz,
  is_closed boolean NOT NULL DEFAULT false
);
CREATE INDEX questions_open ON haft_fleet.questions (run) WHERE NOT is_closed;

CREATE TABLE haft_fleet.schedules (
  id text NOT NULL,
  tenant text NOT NULL REFERENCES haft_fleet.tenants ON DELETE CASCADE,
  cron text NOT NULL,
  timezone text NOT NULL,
  is_recurring boolean NOT NULL DEFAULT true,
  if_missed text NOT NULL DEFAULT 'run_once',
  spec jsonb NOT NULL,
  is_paused boolean NOT NULL DEFAULT false,
  next_due timestamptz,
  last_due timestamptz,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX schedules_due ON haft_fleet.schedules (next_due) WHERE NOT is_paused;
`
