import { describe, expect, test } from 'vitest'
import { type ConfinedCommand, explainRefusals, type MachineFacts } from './explain-refusals.js'

const confinedCommand: ConfinedCommand = {
  confinement: 'workspace',
  cwd: '/code/sub',
  writableFolders: ['/code'],
  mounts: [
    { path: '/code', kind: 'writable' },
    { path: '/code/.git/config', kind: 'read-only' },
    { path: '/code/sub/.haft', kind: 'absent' },
    { path: '/home/me/.ssh', kind: 'hidden-folder' },
  ],
  showsOtherFiles: true,
  hasProxy: false,
  allowsUnixSockets: false,
  allowsUnsandboxed: true,
  hosts: [],
}
const facts: MachineFacts = {
  canWrite: (path) => !path.startsWith('/sys'),
  exists: (path) => path.startsWith('/exists'),
  needsCapabilities: (path) => path === '/var/other',
  isListening: (port) => port === 5432,
}
const explain = (output: string, change: Partial<ConfinedCommand> = {}, exitCode: number | null = 1) =>
  explainRefusals({ output, exitCode }, { ...confinedCommand, ...change }, facts)

describe('the sandbox is reported as the cause', () => {
  test.each([
    ["touch: cannot touch '/etc/x': Read-only file system", 'a write to /etc/x: only /code, $TMPDIR are writable'],
    ['bash: line 1: /etc/x: Read-only file system', 'a write to /etc/x'],
    ["Error: EROFS: read-only file system, open '/home/me/.npm/x'", 'a write to /home/me/.npm/x'],
    ["cd: touch: cannot touch 'x': Read-only file system", 'a write to x'],
    ['error: could not write config file ../.git/config: Device or resource busy', '/code/.git/config'],
    ['bash: .haft/settings.json: Read-only file system', '/code/sub/.haft/settings.json'],
    ["mkdir: cannot create directory '.haft': File exists", '/code/sub/.haft'],
    ['cat: /home/me/.ssh/id: Permission denied', 'hides /home/me/.ssh/id'],
    ['cat: /var/other: Permission denied', 'capabilities'],
    ['curl: (6) Could not resolve host: example.com', 'has no network'],
    ['connect: Network is unreachable', 'has no network'],
    ['npm error getaddrinfo EAI_AGAIN packages.example.com', 'sandbox.allowedDomains'],
    ['psql: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', 'port 5432'],
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', 'port 5432'],
    ['dial unix /var/run/docker.sock: socket: address family not supported by protocol', 'allowUnixSockets'],
  ])('of %s', (line, explanation) => {
    const [reason, advice] = explain(`before\n${line}\nafter`)

    expect(reason).toContain(explanation)
    expect(advice).toContain('dangerouslyDisableSandbox: true')
  })
})

describe('the sandbox is not reported as the cause', () => {
  test.each([
    ['of a file that the user has no permission for', 'cat: /etc/shadow: Permission denied'],
    ['of a script that is not executable', 'bash: ./run.sh: Permission denied'],
    ['of a file system that is read-only anyway', "touch: cannot touch '/sys/x': Read-only file system"],
    ['of a read-only medium in the working folder', "touch: cannot touch '/code/cd/x': Read-only file system"],
    ['of a file in use', "rm: cannot remove '/code/mnt': Device or resource busy"],
    ['of a folder that exists', "mkdir: cannot create directory 'src': File exists"],
    ['of a port on which no program listens', 'connect ECONNREFUSED 127.0.0.1:9999'],
    ['of a failing test', 'AssertionError: expected 1 to be 2'],
    ['of a missing file', 'cat: x: No such file or directory'],
  ])('%s', (_, line) => {
    expect(explain(line)).toEqual([])
  })

  test('of any output of a successful command', () => {
    expect(explain("grep: 'Read-only file system' found", {}, 0)).toEqual([])
  })
})

test('hosts that the proxy refused are reported, even if the command succeeded', () => {
  const hosts = [{ host: 'evil.test', reason: 'domain' as const }]

  expect(explain('', { hosts, hasProxy: true }, 0)[0]).toContain('refused to reach evil.test')
})

test('the advice does not suggest leaving the sandbox if the settings forbid it', () => {
  expect(explain('Network is unreachable', { allowsUnsandboxed: false }).at(-1)).toBe(
    'The settings do not allow commands outside the sandbox; find another way, or tell the user what is needed.',
  )
})

test('the explanation for a read-only command says that only $TMPDIR is writable', () => {
  const [reason] = explain("touch: cannot touch '/code/x': Read-only file system", {
    confinement: 'read-only',
    writableFolders: [],
    mounts: [],
  })

  expect(reason).toContain('can write only to $TMPDIR')
})

test('equal refusals are reported once, and the number of reported refusals is limited', () => {
  const lines = Array.from({ length: 100 }, (_, i) => `touch: cannot touch '/etc/${i}': Read-only file system`)

  expect(explain(`${lines.join('\n')}\n${lines.join('\n')}`)).toHaveLength(6)
})
