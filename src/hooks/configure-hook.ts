import type { PermissionRule } from '../contract/permission/rule.js'
import type { HookMatcher } from './compile-matcher.js'
import type { ConfiguredHook, Hook } from './hook-config.js'
import type { CheckedHook } from './hook-schemas.js'

const DEFAULT_TIMEOUT_SECONDS = 60
const LABEL_CHARS = 80

/** A hook as it is run: defaults filled in, with the name and the identity it goes by. */
export function configureHook(
  written: CheckedHook,
  matcher: HookMatcher,
  conditions: readonly PermissionRule[],
): ConfiguredHook {
  return { matcher, conditions, hook: readyHook(written), label: labelOf(written), identity: identityOf(written) }
}

function readyHook(written: CheckedHook): Hook {
  const basics = {
    timeoutMs: (written.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    once: written.once ?? false,
    async: written.async ?? false,
    ...(written.statusMessage === undefined ? {} : { statusMessage: written.statusMessage }),
  }
  switch (written.type) {
    case 'command':
      return { ...basics, type: 'command', command: written.command }
    case 'http': {
      const { url, headers = {}, allowedEnvVars = [] } = written
      return { ...basics, type: 'http', url, headers, allowedEnvVars }
    }
    case 'mcp_tool':
      return { ...basics, type: 'mcp_tool', server: written.server, tool: written.tool, input: written.input ?? {} }
    case 'prompt': {
      const model = written.model === undefined ? {} : { model: written.model }
      return { ...basics, type: 'prompt', prompt: written.prompt, ...model }
    }
    case 'function':
      return { ...basics, type: 'function', run: written.run }
  }
}

function labelOf(written: CheckedHook): string {
  const text = `${written.type} ${descriptionOf(written)}`.replace(/\s+/g, ' ').trim()
  return text.length <= LABEL_CHARS ? text : `${text.slice(0, LABEL_CHARS - 1)}…`
}

function descriptionOf(written: CheckedHook): string {
  switch (written.type) {
    case 'command':
      return written.command
    case 'http': {
      // Without the query and the user part, which often hold secrets.
      const { origin, pathname } = new URL(written.url)
      return origin + pathname
    }
    case 'mcp_tool':
      return `${written.server}/${written.tool}`
    case 'prompt':
      return written.prompt
    case 'function':
      return written.name ?? written.run.name
  }
}

function identityOf(written: CheckedHook): unknown {
  switch (written.type) {
    case 'command':
      return JSON.stringify(['command', written.command])
    case 'http':
      return JSON.stringify(['http', written.url, written.headers ?? {}])
    case 'mcp_tool':
      return JSON.stringify(['mcp_tool', written.server, written.tool, written.input ?? {}])
    case 'prompt':
      return JSON.stringify(['prompt', written.prompt, written.model ?? ''])
    case 'function':
      return written.run
  }
}
