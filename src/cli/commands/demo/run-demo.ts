import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { overridePort } from '../../../shared/override-port.js'
import { openAgentSession } from '../../agent-session/open-agent-session.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { readAgentOptions } from '../../options/agent-options.js'
import { parseOptions } from '../../options/parse-options.js'
import { DemoScreen } from './demo-screen.js'

const DEMO_PROMPT = 'Customers report that they are charged too little. Find the cause, fix it and tell the team.'

/** Runs a scripted model with real tools on a small project, so that new users can see Haft without an API key. */
export async function runDemo(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  if (positionals.length > 0) throw new UsageError('demo takes no arguments. See haft demo --help.')
  const host = await io.host()
  const interruption = host.interruption()
  const cwd = await copyProject()
  const screen = new DemoScreen(io)
  screen.begin(cwd, DEMO_PROMPT)
  const session = await openAgentSession(io, overridePort(host, { cwd }), readDemoOptions(), {
    ask: (question) => screen.answer(question),
  })
  try {
    const { reason } = await session.ask(DEMO_PROMPT, {
      signal: interruption.signal,
      onEvent: (event) => screen.show(event),
    })
    if (interruption.exitCode !== undefined) return interruption.exitCode
    screen.end(session.id)
    return reason === 'completed' ? EXIT.done : EXIT.failed
  } finally {
    await session.dispose()
    // The transcript of the session is stored elsewhere, so the project can be deleted.
    await rm(cwd, { recursive: true, force: true })
  }
}

/** Returns the path of a demo file in the built package, where the demo folder is next to `dist`. */
function demoPathOf(name: string): string {
  return fileURLToPath(new URL(`../../../demo/${name}`, import.meta.url))
}

async function copyProject(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-demo-')))
  await cp(demoPathOf('project'), folder, { recursive: true })
  return folder
}

/** Returns the options, as for `haft -p`. The demo project is part of Haft, so it is trusted. */
function readDemoOptions() {
  const officeServer = { command: process.execPath, args: [demoPathOf('server.mjs')] }
  return readAgentOptions([
    '--print',
    ...['--model', `scripted:${demoPathOf('script.mjs')}`],
    ...['--mcp-config', JSON.stringify({ mcpServers: { office: officeServer } })],
    '--trust',
  ])
}
