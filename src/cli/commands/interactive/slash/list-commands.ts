import type { LspServerStatus } from '../../../../contract/ports/lsp.js'
import { isMcpTool } from '../../../../contract/tool/identity.js'
import type { View } from '../../../../contract/views.js'
import type { SlashCommand } from '../../../../terminal/slash/slash-commands.js'
import type { SlashHost } from './session-commands.js'

/** Creates the slash commands that list tools, rules, hooks, servers, agents and skills. */
export function createListCommands({ openedSession, host, io }: SlashHost): readonly SlashCommand[] {
  const { runtime, settings } = openedSession.toolSession
  return [
    {
      name: 'tools',
      summary: 'list the tools of this session',
      runsWhileWorking: true,
      run: () => ({
        view: createTable(
          ['tool', 'source', 'purpose'],
          runtime.pool.map((tool) => [
            tool.name,
            isMcpTool(tool) ? (tool.mcpInfo?.serverName ?? 'MCP') : 'built-in',
            tool.searchHint ?? '',
          ]),
        ),
      }),
    },
    {
      name: 'permissions',
      summary: 'show the permission mode and all rules',
      runsWhileWorking: true,
      run: () => ({ view: describePermissions(runtime.permissions) }),
    },
    {
      name: 'hooks',
      summary: 'list the hooks and where they come from',
      runsWhileWorking: true,
      run: () => ({
        view: createTableOrText(
          settings.hooks.flatMap(({ source, file, hooks }) =>
            Object.entries(hooks).map(([event, groups]) => [event, file ?? source, JSON.stringify(groups)]),
          ),
          ['event', 'from', 'hooks'],
          'There are no hooks.',
        ),
      }),
    },
    {
      name: 'mcp',
      summary: 'list the MCP servers and their state',
      runsWhileWorking: true,
      run: () => ({
        view: createTableOrText(
          (openedSession.servers?.states ?? []).map((state) => [
            state.name,
            state.status,
            String(runtime.pool.filter((tool) => tool.mcpInfo?.serverName === state.name).length),
            'reason' in state && typeof state.reason === 'string' ? state.reason : '',
          ]),
          ['server', 'state', 'tools', 'reason'],
          'There are no MCP servers. Add one with haft mcp add.',
        ),
      }),
    },
    {
      name: 'lsp',
      summary: 'list the language servers and their state',
      runsWhileWorking: true,
      run: async () => {
        const { describeFoundServers } = await import('../../../tool-session/language-servers.js')
        return {
          view: createTableOrText(
            (await runtime.languageServers()).map(describeLanguageServer),
            ['server', 'root', 'state', 'process', 'memory', 'version', 'last error'],
            describeFoundServers(host.cwd, io.variables, settings),
          ),
        }
      },
    },
    {
      name: 'agents',
      summary: 'list the kinds of sub-agents',
      runsWhileWorking: true,
      run: () => ({
        view: createTable(
          ['agent', 'from', 'when to use'],
          openedSession.projectContext.kinds.map(({ name, source, description }) => [
            name,
            source,
            readFirstLine(description),
          ]),
        ),
      }),
    },
    {
      name: 'skills',
      summary: 'list the skills',
      runsWhileWorking: true,
      run: () => ({
        view: createTableOrText(
          openedSession.projectContext.skills.map(({ name, description, skill }) => [name, description, skill.folder]),
          ['skill', 'purpose', 'folder'],
          'There are no skills. Add one as a folder with a SKILL.md in .haft/skills.',
        ),
      }),
    },
  ]
}

function describeLanguageServer(status: LspServerStatus): readonly string[] {
  const { name, root, state, pid, memoryBytes, version = '', lastError = '' } = status
  const memory = memoryBytes === undefined ? '' : `${Math.round(memoryBytes / 1024 ** 2)} MB`
  return [name, root, state, pid === undefined ? '' : String(pid), memory, version, lastError]
}

function describePermissions(permissions: SlashHost['openedSession']['toolSession']['runtime']['permissions']): View {
  const rulesByBehavior = [
    ['deny', permissions.alwaysDenyRules],
    ['ask', permissions.alwaysAskRules],
    ['allow', permissions.alwaysAllowRules],
  ] as const
  const ruleRows = rulesByBehavior.flatMap(([behavior, rules]) =>
    Object.entries(rules).flatMap(([source, texts]) => texts.map((rule) => [behavior, rule, source])),
  )
  const folderRows = permissions.additionalWorkingDirectories.map(({ path, source }) => ['folder', path, source])
  return {
    type: 'group',
    layout: 'block',
    children: [
      `Mode: ${permissions.mode} (Shift+Tab changes it)`,
      '',
      createTableOrText([...ruleRows, ...folderRows], ['', 'rule', 'from'], 'There are no rules.'),
    ],
  }
}

function createTable(columns: readonly string[], rows: readonly (readonly View[])[]): View {
  return { type: 'table', columns, rows }
}

function createTableOrText(rows: readonly (readonly View[])[], columns: readonly string[], emptyText: string): View {
  return rows.length === 0 ? emptyText : createTable(columns, rows)
}

function readFirstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
