import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolResultBlock } from '../src/contract/messages.js'
import { createBrowserPort } from '../src/ports/browser/create-browser-port.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { GrepTool } from '../src/tools/grep/tool.js'
import { ReadTool } from '../src/tools/read/tool.js'
import { WebBrowserTool } from '../src/tools/web-browser/tool.js'
import { startSite } from './fixtures/web/browser-site.mjs'
import { textOf } from './runtime-fixtures.js'

interface Question {
  readonly message: string
  readonly rules: readonly string[]
}

/** A site on this machine, a browser, and runtimes that share both. All names below `test` lead to the site. */
export async function openBrowserFixture() {
  const site = await startSite()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-web-browser-')))
  const browser = createBrowserPort({
    variables: process.env,
    proxyVariables: {},
    home: folder,
    writableFolders: [],
    allowedPrivateHosts: ['*.test'],
    snapshotFolder: () => join(folder, 'results', 'browser'),
    lookUp: async (host) => (host.endsWith('.private') ? ['10.1.2.3'] : ['127.0.0.1']),
  })
  const base = `http://shop.test:${site.port}`
  let count = 0

  /** Opens a session with its own permissions. Each question is recorded and answered by `reply`. */
  function openSession(permissions: ToolRuntimeOptions['permissions'], reply: 'allow' | 'deny' = 'deny') {
    const questions: Question[] = []
    const runtime = createToolRuntime({
      tools: [WebBrowserTool, ReadTool, GrepTool],
      permissions: permissions ?? {},
      cwd: folder,
      ports: { browser },
      storage: { resultsDirectory: join(folder, 'results'), checkpointsDirectory: join(folder, 'checkpoints') },
      async ask({ message, suggestions }) {
        const rules = suggestions.flatMap((update) => (update.type === 'addRules' ? update.rules : []))
        questions.push({ message, rules })
        return { behavior: reply }
      },
    })
    const call = async (name: string, input: object): Promise<ToolResultBlock> => {
      count++
      const [result] = await runtime.run([{ type: 'tool_use', id: `call-${count}`, name, input }]).results
      if (result === undefined) throw new Error('no result')
      return result
    }
    const browse = async (input: object) => textOf(await call('WebBrowser', input))
    return { runtime, questions, call, browse }
  }

  return {
    ...{ site, folder, browser, base, openSession },
    hasFile: (name: string) => existsSync(join(folder, name)),
    async close() {
      await browser.dispose()
      site.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const ALLOW_SHOP = { allow: ['WebBrowser(domain:shop.test)'] }
