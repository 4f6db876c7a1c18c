import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { HOOK_EVENTS, type HookEvent } from '../src/hooks/config/hook-events.js'
import { GIT_TEST_ENVIRONMENT } from '../src/testing/files/git-fixture.js'
import type { HaftProcess, Line } from './lib/haft-process.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'
import { getSessionPaths } from './lib/transcript-lines.js'

const { at, file, writeModel, writeProgram, start } = createHeadlessFixture()

/** The event-specific fields of each event, one entry per expected occurrence. */
const listExpectedPayloads = (): Readonly<Record<HookEvent, readonly object[]>> => {
  const readFields = { tool_name: 'Read', tool_input: { file_path: file('a.txt') }, tool_use_id: 'read' }
  const missingFileRead = { tool_name: 'Read', tool_input: { file_path: file('missing') }, tool_use_id: 'missing' }
  const write = { tool_name: 'Write', tool_input: { file_path: file('new'), content: 'x' }, tool_use_id: 'write' }
  const deniedCall = { tool_name: 'Bash', tool_input: { command: 'curl x' }, tool_use_id: 'denied' }
  const agent = {
    agent_id: expect.any(String),
    agent_type: 'general-purpose',
    agent_transcript_path: expect.any(String),
  }
  const task = { task_id: expect.any(String) }
  const worktree = {
    name: expect.stringMatching(/^general-purpose-/),
    worktree_path: expect.stringContaining(file('.haft/worktrees/general-purpose-')),
    branch: expect.stringMatching(/^haft\/general-purpose-/),
  }
  return {
    SessionStart: [{ source: 'startup' }, { source: 'compact' }],
    UserPromptSubmit: [{ prompt: 'Do it all' }],
    PreToolUse: [readFields, missingFileRead, write, deniedCall],
    PostToolUse: [{ ...readFields, tool_response: expect.anything() }],
    PostToolUseFailure: [{ ...missingFileRead, error: expect.stringContaining('missing') }],
    PermissionRequest: [write],
    Notification: [{ notification_type: 'permission_prompt', message: expect.any(String) }],
    PermissionDenied: [{ ...deniedCall, reason: expect.stringContaining('curl') }],
    SubagentStart: [agent],
    SubagentStop: [agent],
    TaskCreated: [task],
    TaskCompleted: [task],
    CwdChanged: [{ old_cwd: at('project'), new_cwd: file('sub') }],
    PreCompact: [{ trigger: 'auto', custom_instructions: '' }],
    PostCompact: [{ trigger: 'auto', compact_summary: 'The summary.' }],
    Stop: [{ stop_hook_active: false }],
    SessionEnd: [{ reason: expect.any(String) }],
    InstructionsLoaded: [{ file_path: file('AGENTS.md'), is_untrusted: true, load_reason: 'session_start' }],
    PostToolBatch: [{ tool_calls: [{ ...readFields, tool_response: expect.anything(), is_error: false }] }],
    DirectoryAdded: [{ path: at('home') }],
    WorktreeCreate: [worktree],
    WorktreeRemove: [worktree],
    PreModelSwitch: [{ from_model: 'scripted', to_model: 'second' }],
    PostModelSwitch: [{ from_model: 'scripted', to_model: 'second' }],
    UserPromptExpansion: [
      {
        ...{ command_name: 'greet', command_args: 'Ada', command_source: expect.stringContaining('command') },
        prompt: expect.stringContaining('Greet Ada.'),
      },
    ],
    TeammateIdle: [{ teammate_name: 'alice', team_name: 'team-session1', agent_id: 'alice' }],
    StopFailure: [{ error_type: 'model_failed', error: expect.stringContaining('no credit') }],
    Setup: [{ trigger: 'init' }],
    FileChanged: [{ file_path: file('watched.txt'), event: 'add' }],
    Elicitation: [
      {
        mcp_server_name: 'everything',
        message: expect.any(String),
        mode: 'form',
        requested_schema: expect.any(Object),
      },
    ],
    ElicitationResult: [{ mcp_server_name: 'everything', mode: 'form', action: 'accept', content: { name: 'Ada' } }],
    ConfigChange: [{ source: 'local_settings', file_path: file('.haft/settings.local.json') }],
  }
}

test('every event is passed to the user’s hook commands with its data', async () => {
  await createCommit()
  await mkdir(file('sub'))
  await mkdir(at('home', '.haft', 'commands'), { recursive: true })
  await writeFile(at('home', '.haft', 'commands', 'greet.md'), 'Greet $ARGUMENTS.')
  await writeFile(file('AGENTS.md'), 'Be brief.')
  await writeFile(
    at('home', '.haft', 'settings.json'),
    JSON.stringify({ hooks: createRecordingHooks(at('events')), mcpServers: { everything: EVERYTHING } }),
  )
  const script = `{
    turns: [
      use('Read', { file_path: '${file('a.txt')}' }, 'read'),
      use('Read', { file_path: '${file('missing')}' }, 'missing'),
      use('Write', { file_path: '${file('new')}', content: 'x' }, 'write'),
      use('Bash', { command: 'curl x' }, 'denied'),
      use('mcp__everything__trigger-elicitation-request', {}),
      use('Agent', { description: 'look', prompt: 'Look around.', isolation: 'worktree' }),
      use('Agent', { description: 'look', prompt: 'Look as a teammate.', name: 'alice' }),
      async () => {
        const { readFileSync } = await import('node:fs')
        while (!readFileSync('${at('events')}', 'utf8').includes('"TeammateIdle"')) await new Promise(setImmediate)
        return use('Glob', { pattern: '*' })
      },
      use('Bash', { command: 'echo done', run_in_background: true }),
      (request) => use('TaskOutput', { task_id: /[Tt]ask ([\\w-]+)/.exec(results(request).at(-1))[1] }),
      { ...use('Bash', { command: 'cd sub' }), usage: { input: 190_000 } },
      'The summary.',
      'Done.',
    ],
    conversations: [
      { opening: 'Look around.', turns: ['I looked.'] },
      { opening: 'Look as a teammate.', turns: ['I looked.'] },
    ],
  }`
  const rules = ['--allowed-tools', 'Bash,mcp__everything', '--disallowed-tools', 'Bash(curl:*)', '--init']
  const args = ['--session-id', 'session-1', '--permission-prompt-tool', 'stdio', ...rules]
  const process = start([...DRIVER_ARGS, ...args, ...(await writeProgram(script))])

  process.send({ type: 'user', message: { role: 'user', content: 'Do it all' } })
  await allowAll(process, changeSettings)
  const secondModel = await writeModel([{ error: { kind: 'unauthorised', message: 'no credit' } }], { id: 'second' })
  process.send({ type: 'control_request', request_id: '1', request: { subtype: 'set_model', model: secondModel[1] } })
  process.send({ type: 'user', message: { role: 'user', content: '/greet Ada' } })
  await allowAll(process, changeSettings)
  const { stderr } = await process.finish()

  expect(stderr).toBe('')
  const receivedPayloads = readPayloads(at('events'))
  const { transcript } = getSessionPaths(at('home'), at('project'), 'session-1')
  for (const payload of receivedPayloads)
    expect(payload).toMatchObject({
      ...{ session_id: 'session-1', transcript_path: transcript, permission_mode: 'default' },
      cwd: expect.stringMatching(/project(\/sub|\/\.haft\/worktrees\/[\w-]+)?$/),
    })
  const compaction = receivedPayloads.filter(
    ({ hook_event_name: name, source }) => String(name).endsWith('Compact') || source === 'compact',
  )
  expect(compaction.map(({ hook_event_name: name }) => name)).toEqual(['PreCompact', 'PostCompact', 'SessionStart'])
  for (const { agent_transcript_path: path } of receivedPayloads)
    if (path !== undefined) expect(readFileSync(String(path), 'utf8')).toContain('I looked.')
  for (const [event, expected] of Object.entries(listExpectedPayloads())) {
    const payloads = receivedPayloads.filter(({ hook_event_name: name }) => name === event)
    for (const fields of expected) expect(payloads, event).toContainEqual(expect.objectContaining(fields))
  }
})

/** Long enough for a busy machine. */
const POLLING = { timeout: 30_000 }
const DRIVER_ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json']

/** Makes the project a repository with a commit, of which worktrees can be created. */
async function createCommit(): Promise<void> {
  const runGit = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: at('project'), env: GIT_TEST_ENVIRONMENT, stdio: 'pipe' })
  runGit('init', '--quiet')
  runGit('add', 'a.txt')
  runGit('commit', '--quiet', '--message', 'first')
}

/** A hook command for each event that records its input. */
function createRecordingHooks(path: string) {
  const hooks = [{ type: 'command', command: `input=$(cat); printf '%s\\n' "$input" >> ${path}` }]
  const answer = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content: { name: 'Ada' } } }
  const answeringHook = { type: 'command', command: `cat > /dev/null; echo '${JSON.stringify(answer)}'` }
  return {
    ...Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks }]])),
    FileChanged: [{ matcher: 'watched.txt|other.txt', hooks }],
    Elicitation: [{ hooks: [...hooks, answeringHook] }],
  }
}

const EVERYTHING = {
  command: process.execPath,
  args: [resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
}

function readPayloads(path: string): readonly Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Writes a settings file and a watched file, and waits until the running command has detected them. */
async function changeSettings(): Promise<void> {
  await mkdir(file('.haft'), { recursive: true })
  await writeFile(file('.haft/settings.local.json'), '{}')
  await writeFile(file('watched.txt'), 'x')
  await expect.poll(() => readFileSync(at('events'), 'utf8'), POLLING).toContain('"ConfigChange"')
  await expect.poll(() => readFileSync(at('events'), 'utf8'), POLLING).toContain('"FileChanged"')
}

const ADD_DIRECTORY = () => ({ type: 'addDirectories', destination: 'session', directories: [at('home')] })

/** Allows every permission request until the prompt is done. Runs a callback before each answer. */
async function allowAll(process: HaftProcess, runBeforeAnswer: () => Promise<void>): Promise<void> {
  for (let line: Line = {}; line.type !== 'result'; line = await process.next()) {
    if (line.type !== 'control_request') continue
    await runBeforeAnswer()
    const answer = { behavior: 'allow', updatedPermissions: [ADD_DIRECTORY()] }
    const response = { subtype: 'success', request_id: line.request_id, response: answer }
    process.send({ type: 'control_response', response })
  }
}
