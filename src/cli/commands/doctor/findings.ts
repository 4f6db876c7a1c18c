import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { findBrowser } from '../../../ports/browser/find-browser.js'
import { chooseModel } from '../../../providers/choose-model.js'
import { type LoadedSettings, loadSettings } from '../../../settings/load-settings.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandIo } from '../../io/command.js'
import { browserOf } from '../../tool-session/key-variables.js'
import { findLanguageServers } from '../../tool-session/language-servers.js'
import { findSandboxStatus } from '../../tool-session/sandbox-status.js'
import { describeModel } from '../models/describe-model.js'

/** The result of one check of `haft doctor`. */
export interface Finding {
  readonly name: string
  readonly status: 'found' | 'missing' | 'needed'
  readonly detail: string
}

/** Reports whether the sandbox can run a test command, and which commands run without asking because of that. */
export async function checkSandbox(io: CommandIo): Promise<Finding> {
  const { cwd, homeDir: home } = await io.host()
  const { sandbox } = await loadSettings({ cwd, home, isTrusted: (root) => isProjectTrusted(root, { home }) })
  const { isAvailable, reason } = await findSandboxStatus(io, sandbox)
  return isAvailable
    ? {
        name: 'sandbox',
        status: 'found',
        detail: `${reason} ran a test command; all read-only commands run without asking`,
      }
    : { name: 'sandbox', status: 'missing', detail: `${reason}; ${CORE_ONLY_HINT}` }
}

const CORE_ONLY_HINT =
  'without a sandbox, only simple commands of well-known programs (ls, cat, grep, git log …) run without asking; see docs/sandbox.md'

/** Reports which service searches the web. Does not connect to it. */
export async function checkWebSearch(io: CommandIo): Promise<Finding> {
  const { cwd, homeDir: home } = await io.host()
  const { webSearch, ownModels } = await loadSettings({
    ...{ cwd, home },
    isTrusted: (root) => isProjectTrusted(root, { home }),
  })
  if (webSearch?.provider === 'model') return checkModelSearch(io, webSearch.model, ownModels)
  if (webSearch === undefined) return { name: 'web search', status: 'missing', detail: NO_SEARCH_HINT }
  const { provider, apiKeyEnv } = webSearch
  if (apiKeyEnv !== undefined && !io.variables[apiKeyEnv])
    return { name: 'web search', status: 'missing', detail: `${provider} needs a key; set ${apiKeyEnv}` }
  return { name: 'web search', status: 'found', detail: provider }
}

/** Reports the model whose provider searches. */
function checkModelSearch(
  { variables }: CommandIo,
  name: string | undefined,
  ownModels: LoadedSettings['ownModels'],
): Finding {
  try {
    const { provider, id } = chooseModel(name ?? ownModels.model ?? variables.HAFT_MODEL, ownModels, variables)
    return { name: 'web search', status: 'found', detail: `by the provider of ${provider}/${id}` }
  } catch (error) {
    return { name: 'web search', status: 'missing', detail: reasonOf(error) }
  }
}

const NO_SEARCH_HINT =
  'WebSearch is not offered, because no service is configured; set web.search in the settings, for example to {"provider": "model"} if the provider of your model can search (it charges for each search); see docs/web.md'

/** Reports the browser that WebBrowser would use. Does not start it. */
export async function checkBrowser(io: CommandIo): Promise<Finding> {
  const { cwd, homeDir: home } = await io.host()
  const settings = await loadSettings({ cwd, home, isTrusted: (root) => isProjectTrusted(root, { home }) })
  const { executable } = browserOf(settings, home).browser ?? {}
  const path = executable ?? findBrowser({ variables: io.variables, home, writableFolders: [cwd] })
  if (path === undefined || !existsSync(path)) {
    const problem = path === undefined ? 'no Chromium, Chrome or Edge was found' : `${path} does not exist`
    return { name: 'browser', status: 'missing', detail: `${problem}; ${BROWSER_HINTS[io.platform] ?? BROWSER_HINT}` }
  }
  if (!hasPlaywright())
    return {
      name: 'browser',
      status: 'missing',
      detail: `${path}; the browser tool also needs: npm install playwright-core`,
    }
  return { name: 'browser', status: 'found', detail: path }
}

const BROWSER_HINT = 'install one for the browser tool, or set web.browser.executable'
const BROWSER_HINTS: Readonly<Record<string, string>> = {
  linux: `for the browser tool: apt-get install chromium`,
  darwin: `for the browser tool: brew install --cask chromium`,
}

function hasPlaywright(): boolean {
  try {
    createRequire(import.meta.url).resolve('playwright-core')
    return true
  } catch {
    // An optional package that was not installed.
    return false
  }
}

/** Reports which language servers are installed. Does not start them. */
export async function checkLanguageServers(io: CommandIo): Promise<Finding> {
  const { cwd, homeDir: home } = await io.host()
  const settings = await loadSettings({ cwd, home, isTrusted: (root) => isProjectTrusted(root, { home }) })
  const { installed, missing } = findLanguageServers(cwd, io.variables, settings)
  const hint = `not installed: ${missing.join(', ')}; see docs/lsp.md`
  if (installed.length === 0) return { name: 'language servers', status: 'missing', detail: hint }
  return { name: 'language servers', status: 'found', detail: `${installed.join(', ')}; ${hint}` }
}

/** Reports the model that `haft -p` would use here, and the source of its key. Does not connect to the model. */
export async function checkModel(io: CommandIo): Promise<Finding> {
  const { cwd, homeDir: home } = await io.host()
  const settings = await loadSettings({
    cwd,
    home,
    isTrusted: (projectRoot) => isProjectTrusted(projectRoot, { home }),
  })
  try {
    return { name: 'model', status: 'found', detail: await describeModel(settings, io) }
  } catch (error) {
    return { name: 'model', status: 'missing', detail: reasonOf(error) }
  }
}
