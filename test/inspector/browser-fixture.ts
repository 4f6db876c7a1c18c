import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findProgram } from '../../src/system/find-program.js'
import { HaftProcess, runHaft } from '../lib/haft-process.js'

const bin = resolve('bin/haft')

/** Markup that would set `window.hacked`, if any of it became part of the page. */
const EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload=window.hacked=1>'

/** A server whose names and descriptions are markup. It speaks just enough of the protocol. */
const EVIL_SERVER = `
import { createInterface } from 'node:readline'
const evil = ${JSON.stringify(EVIL)}
const tools = [{ name: 'evil', description: evil, inputSchema: { type: 'object', properties: { text: { type: 'string', description: evil } } } }]
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: evil, version: evil } }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text: evil }] }),
  ping: () => ({}),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const reply = answer === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: answer(params ?? {}) }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
})
`

const USAGE = { input: 900, output: 20, cacheRead: 600, cacheWrite: 0 }
const FIRST_TURNS = [
  {
    text: `I look at **files**. ${EVIL} [link](javascript:window.hacked=1)`,
    calls: [
      { name: 'Read', input: { file_path: 'a.txt' } },
      { name: 'Grep', input: { pattern: 'alpha' } },
    ],
    usage: USAGE,
  },
  {
    calls: [{ name: 'Write', input: { file_path: `${EVIL.slice(0, 40).replaceAll('/', '')}.txt`, content: EVIL } }],
    usage: USAGE,
  },
  { calls: [{ name: 'Bash', input: { command: `printf '%s' '${EVIL}'` } }], usage: USAGE },
  { calls: [{ name: 'mcp__evil__evil', input: { text: EVIL } }], usage: USAGE },
  { text: 'Done.', usage: USAGE },
]

/** A project with recorded sessions, the inspector of the built command, and a browser. */
export interface BrowserFixture {
  readonly url: string
  readonly session: string
  readonly transcript: string
  readonly project: string
  readonly problems: string[]
  openPage(options?: BrowserContextOptions, url?: string): Promise<Page>
  run(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  close(): Promise<void>
}

export async function openBrowserFixture(): Promise<BrowserFixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-inspector-')))
  const [project, home] = [join(folder, 'project'), join(folder, 'home')]
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(home)
  await writeFile(join(project, 'a.txt'), 'alpha\n')
  await writeFile(join(folder, 'server.mjs'), EVIL_SERVER)
  const mcpConfig = JSON.stringify({
    mcpServers: { evil: { command: process.execPath, args: [join(folder, 'server.mjs')] } },
  })
  const folders = { cwd: project, home }
  const facts = { contextWindow: 200_000, maxOutputTokens: 1000, prices: { input: 3, output: 15, cacheRead: 0.3 } }
  const record = async (id: string, prompt: string, turns: readonly object[]) => {
    const script = join(folder, `${id}.json`)
    await writeFile(script, JSON.stringify({ id: 'test-model', facts, turns }))
    const options = ['--session-id', id, '--mcp-config', mcpConfig, '--permission-mode', 'acceptEdits']
    const rules = ['--allowed-tools', 'Bash(printf *), mcp__evil']
    const { code, stderr } = await runHaft(
      bin,
      ['-p', prompt, '--model', `scripted:${script}`, ...options, ...rules],
      folders,
    )
    if (code !== 0) throw new Error(`The session ${id} could not be recorded: ${stderr}`)
  }
  await record('first', `Look at the files ${EVIL}`, FIRST_TURNS)
  await record('second', 'Something else entirely', [
    { calls: [{ name: 'Glob', input: { pattern: '*' } }], usage: USAGE },
    { text: 'ok', usage: USAGE },
  ])
  const entries = await readdir(join(home, '.haft', 'projects'), { withFileTypes: true })
  const projectFolder = entries.find((entry) => entry.isDirectory())?.name ?? ''
  const inspector = new HaftProcess(bin, ['inspect', 'first', '--no-open', '--mcp-config', mcpConfig], folders)
  const url = await new Promise<string>((resolvePromise, reject) => {
    let output = ''
    inspector.child.stdout.on('data', (chunk) => {
      output += chunk
      const [address] = /http:\S+/.exec(output) ?? []
      if (address !== undefined && output.includes('Ctrl-C')) resolvePromise(address)
    })
    inspector.exited.then((code) => reject(new Error(`haft inspect ended with ${code}: ${inspector.stderr}`)))
  })
  const executablePath = findProgram('chromium', process.env) ?? ''
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const problems: string[] = []
  return {
    ...{ url, session: 'first', project, problems },
    transcript: join(home, '.haft', 'projects', projectFolder, 'first.jsonl'),
    async openPage(options = {}, address = url) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
      context.setDefaultTimeout(120_000)
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(address)
      await page.waitForSelector('canvas')
      return page
    },
    run: (args) => runHaft(bin, args, folders),
    async close() {
      await browser.close()
      inspector.child.kill('SIGINT')
      await inspector.exited
      await rm(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}
