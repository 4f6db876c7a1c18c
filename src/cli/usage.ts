import type { CommandHelp } from './io/command.js'

const SETTINGS_USAGE =
  '[--permission-mode MODE] [--allowed-tools RULES] [--disallowed-tools RULES] [--settings FILE|JSON] [--mcp-config FILE|JSON] [--trust]'

const interactiveUsage: readonly string[] = [
  'haft ["PROMPT"] [OPTIONS]            work with the agent in the terminal',
  'haft --continue                      continue the latest session of this folder',
  'haft --resume [ID]                   continue a session; without an id, choose it from a list',
  '',
  '  --screen-reader                flat output for screen readers (also: HAFT_SCREEN_READER=1)',
  '  --model, --permission-mode, --allowed-tools and other options: see haft -p --help',
]

const printUsage: readonly string[] = [
  'haft -p "PROMPT" [OPTIONS]           print the answer to standard output; piped input is added to the prompt',
  'haft -p - [OPTIONS]                  read the prompt from standard input',
  'haft -p "PROMPT" --continue          continue the latest session of this folder',
  'haft --resume [ID] | --continue      without a terminal: show a session, or list the sessions of this folder',
  '',
  'Model (default: depends on which key is set, ANTHROPIC_API_KEY or OPENAI_API_KEY):',
  '  --model NAME                   an id, PROVIDER/ID, or scripted:FILE, which needs no key',
  '  --record FILE                  record the model responses in a new file; replay them with --model replay:FILE',
  '  --fallback-model NAME          model to use when the main model is overloaded',
  '  --system-prompt TEXT           replace the system prompt; --append-system-prompt TEXT adds to it',
  '  --max-turns N                  maximum number of model turns',
  '  --max-budget-usd AMOUNT        stop after spending this amount',
  '',
  'Output and input:',
  '  --output-format text|json|stream-json   the answer only, one JSON object at the end, or one JSON line per event',
  '  --input-format text|stream-json         one prompt, or JSON lines from a program that drives the session',
  '  --json-schema FILE|JSON        require an answer that matches this JSON Schema',
  '  --include-partial-messages     with stream-json: also stream partial messages',
  '  --verbose                      show tool calls and their results on standard error',
  '  --quiet                        show no progress on standard error; without it, a terminal shows one line per call',
  '',
  'Tools and permissions (calls that are not allowed are denied, because there is no user to ask):',
  '  --allowed-tools RULES          for example "Edit, Bash(npm test)"; --disallowed-tools RULES denies',
  '  --ask                          ask in the terminal instead of denying',
  '  --permission-mode MODE         default, acceptEdits, plan, auto, dontAsk, bypassPermissions',
  '  --permission-prompt-tool NAME  what answers permission questions: mcp__SERVER__TOOL, or stdio with --input-format stream-json',
  '  --tools LIST                   only these built-in tools; --bare: basic tools, no instructions and no skills',
  '  --add-dir FOLDER               additional working directory',
  '  --trust                        trust this project for this run: use its allow rules, hooks, servers, skills and agents',
  '  --settings FILE|JSON           settings for this run; --mcp-config FILE|JSON adds MCP servers',
  '',
  'Sessions:',
  '  -c, --continue                 continue the latest session of this folder',
  '  -r, --resume [ID]              continue this session',
  '  --fork-session                 continue in a copy of the session',
  '  --session-id ID                id of the new session or copy',
  '  --init, --maintenance          run Setup hooks before the first prompt',
  '',
  'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 permission needed or denied, 4 limit reached, 5 no key or model, 130 interrupted.',
]

const SERVER_OPTIONS = '[--connect] [--mcp-config FILE|JSON] [--trust]'

const toolsUsage: readonly string[] = [
  `haft tools [--json] [--why] [--tools LIST] [--bare] ${SERVER_OPTIONS}`,
  `haft tools show NAME [--json] ${SERVER_OPTIONS}`,
  `haft tools search QUERY [--max-results N] [--catalog FILE] ${SERVER_OPTIONS}`,
  'haft tools search --jsonl [--max-results N] --catalog FILE',
]

const mcpUsage: readonly string[] = [
  'haft mcp add NAME [--scope local|project|user] [--env NAME=VALUE]... -- COMMAND [ARGUMENTS]',
  'haft mcp add NAME URL [--transport http|sse] [--scope local|project|user] [--header "NAME: VALUE"]...',
  '                  [--headers-helper COMMAND] [--client-id ID] [--callback-port PORT]',
  'haft mcp import [claude-desktop|claude-code|cursor|vscode|codex]... [--yes]',
  'haft mcp install FILE.mcpb [--set KEY=VALUE]... [--yes]',
  'haft mcp search QUERY [--registry URL] [--json]',
  'haft mcp list [--json]',
  'haft mcp get NAME [--json]',
  'haft mcp approve NAME',
  'haft mcp remove NAME [--scope local|project|user]',
  'haft mcp test NAME [--json] [--accept] [--trust] [--mcp-config FILE|JSON]',
  'haft mcp serve [--gateway] [--no-prefix] [--permission-mode MODE] [--allowed-tools RULES] [--disallowed-tools RULES]',
  '               [--settings FILE|JSON] [--mcp-config FILE|JSON] [--trust]',
  '               [--http PORT [--host ADDRESS] [--allow-host NAME]... [--no-token]]',
]

const fleetUsage: readonly string[] = [
  'haft fleet submit "PROMPT" [--key KEY] [--priority N] [--delay SECONDS] [--wait] [--repository URL [--ref REF]]',
  '                  [--artefact PATH]... [--asks] [--model NAME] [--allowed-tools RULES] [--max-turns N] ...',
  'haft fleet list [--state STATE] [--limit N]',
  'haft fleet show RUN [--steps]',
  'haft fleet logs RUN [-f]',
  'haft fleet fetch RUN patch|bundle|transcript|PATH [--output FILE]',
  'haft fleet cancel|pause|resume RUN...',
  'haft fleet retry RUN',
  'haft fleet fork RUN --step N',
  'haft fleet ask [RUN]                 list open questions; in a terminal, answer them',
  'haft fleet answer QUESTION allow|deny|"TEXT"',
  'haft fleet schedule list | add "CRON" "PROMPT" [--once] [--timezone ZONE] | delete ID',
  'haft fleet stats [--tenant NAME]',
  'haft fleet serve [--port PORT] [--host ADDRESS]    the HTTP API',
  '',
  'For operators:',
  'haft fleet tenant set NAME [--max-running N] [--rate 10/60s] [--budget-tokens N] [--budget-usd N] [--pause|--unpause]',
  '                  [--webhook URL [--webhook-secret env:NAME]]',
  'haft fleet token create TENANT LABEL [--scopes read,submit,control,answer] | delete TENANT LABEL',
  'haft fleet limit N|none',
  '',
  'All take --database URL (default: DATABASE_URL, else a PostgreSQL server of this machine); most take --tenant and --json.',
]

/** The help of each command. */
export const usages = {
  haft: {
    summary: 'work with the agent in the terminal',
    usage: interactiveUsage,
  },
  '-p': {
    summary: 'run the agent on a prompt, or continue a session',
    usage: printUsage,
  },
  init: {
    summary: 'write a draft of AGENTS.md and a settings file for this project',
    usage: ['haft init'],
    examples: ['haft init'],
  },
  login: {
    summary: 'store the API key of a model provider',
    usage: [
      'haft login [PROVIDER]                      ask for the key, or read it from standard input',
      'haft login PROVIDER --command COMMAND      store a command that prints the key, for example of a password manager',
      'haft login --list                          list the providers with a stored key',
      'haft login --remove PROVIDER               delete a stored key',
    ],
    examples: ['haft login anthropic', 'haft login openai --command "pass show openai"'],
  },
  models: {
    summary: 'show the model in use, keys, servers on this machine, and known models',
    usage: ['haft models [--json]'],
    examples: ['haft models', 'haft config set model claude-sonnet-5-5'],
  },
  trust: {
    summary: 'use the settings, hooks, servers and skills of this project',
    usage: [
      'haft trust [--yes]       show what this project would switch on, and ask; --yes does not ask',
      'haft trust --revoke      no longer trust this project',
      'haft trust --list        list the trusted projects',
    ],
    examples: ['haft trust', 'haft trust --revoke'],
  },
  config: {
    summary: 'read and change settings',
    usage: [
      'haft config list [--json]        list all settings, their values and where they come from',
      'haft config get NAME [--json]    print the value of a setting',
      'haft config set NAME VALUE       change a setting of yours, in ~/.haft/settings.json',
      'haft config unset NAME           remove a setting of yours, so that the default applies',
      'haft config edit [--project]     open your settings file, or that of the project, in $VISUAL or $EDITOR',
    ],
    examples: ['haft config set model claude-sonnet-5-5', 'haft config get theme'],
  },
  tools: {
    summary: 'list the available tools, show one, or search them',
    usage: toolsUsage,
  },
  mcp: {
    summary: 'configure and test MCP servers, serve tools to MCP clients',
    usage: mcpUsage,
  },
  acp: {
    summary: 'serve an editor over the Agent Client Protocol',
    usage: [
      `haft acp [--model NAME] [--add-dir FOLDER] ${SETTINGS_USAGE}`,
      '',
      'An editor starts this command and talks to it over standard input and output.',
    ],
  },
  call: {
    summary: 'call one tool and print its result',
    usage: [
      `haft call TOOL JSON|- [--json] ${SETTINGS_USAGE}`,
      '',
      'Each call starts anew. For calls that belong together, such as Read and then Edit, use haft run.',
    ],
    examples: [`haft call Read '{"file_path": "README.md"}'`],
  },
  run: {
    summary: 'run tool calls from a stream of lines: tool_use in, tool_result out',
    usage: [`haft run [FILE|-] [--events] ${SETTINGS_USAGE}`],
  },
  replay: {
    summary: 'draw the timeline of a session or of a haft run --events log',
    usage: ['haft replay FILE|-|SESSION'],
  },
  inspect: {
    summary: 'look at live and past sessions in the browser, and try tools and rules',
    usage: [
      `haft inspect [SESSION] [--port N] [--no-open] ${SETTINGS_USAGE}`,
      'haft inspect SESSION --export FILE.html|FILE.json',
    ],
  },
  sessions: {
    summary: 'list, show, export, rename and delete sessions',
    usage: [
      'haft sessions [list] [--all] [--cost] [--json]     sessions of this folder, or of all; --cost adds tokens and cost',
      'haft sessions show ID                              print a session',
      'haft sessions export ID FILE.html|FILE.json        write a session as a page, or as OpenTelemetry',
      'haft sessions rename ID "TITLE"                    change the title',
      'haft sessions delete ID [--yes]                    ask, and delete a session with its results',
      '',
      'The first four or more characters of an id are enough.',
    ],
    examples: ['haft sessions list --all --cost', 'haft sessions rename 3f2a "Fix the parser"'],
  },
  stats: {
    summary: 'print calls, waits, tokens and cost of a session',
    usage: ['haft stats [SESSION] [--json]'],
  },
  rewind: {
    summary: 'list the changes that calls made in this project, or undo them',
    usage: ['haft rewind [--list] [ID] [--json]'],
  },
  schedule: {
    summary: 'list, add and run prompts that run at set times',
    usage: [
      'haft schedule list [--all] [--json]',
      'haft schedule add "MINUTE HOUR DAY MONTH WEEKDAY" "PROMPT" [--once] [--timezone ZONE] [--if-missed run_once|skip]',
      'haft schedule delete ID',
      'haft schedule log [ID]',
      'haft schedule run [--once] [--max-runs N] [--listen PORT [--host ADDRESS] [--allow-host NAME]...] [-- OPTIONS]',
      'haft schedule unit [-- OPTIONS]    print a systemd unit; OPTIONS are those of haft -p, for every run',
    ],
  },
  worker: {
    summary: 'execute runs of a fleet',
    usage: [
      'haft worker [--database URL] [--slots N] [--folder FOLDER] [--lease SECONDS] [--drain-timeout SECONDS]',
      '            [--park-after SECONDS] [--local-repositories FOLDER]... [-- OPTIONS]    OPTIONS are those of haft -p, for every run',
    ],
  },
  fleet: {
    summary: 'submit, list and control runs of a fleet',
    usage: fleetUsage,
  },
  permissions: {
    summary: 'show whether a call would be allowed, and why',
    usage: [
      `haft permissions explain TOOL JSON|- [--json] ${SETTINGS_USAGE}`,
      'haft permissions check --jsonl [--trust]',
    ],
  },
  demo: {
    summary: 'watch a scripted model use real tools, without an API key or network',
    usage: ['haft demo'],
  },
  doctor: {
    summary: 'check this installation and suggest fixes',
    usage: ['haft doctor [--json]'],
  },
} satisfies Readonly<Record<string, CommandHelp>>

export type Usages = typeof usages
