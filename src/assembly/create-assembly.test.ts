import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolDefinitionError } from '../contract/errors.js'
import type { Environment } from '../contract/flags.js'
import { createPermissionContext } from '../contract/permission/context.js'
import { buildTool } from '../contract/tool/build-tool.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tools } from '../contract/tool/tool.js'
import { fixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { builtInTools } from '../testing/fixture-tools.js'
import { propertyRuns } from '../testing/property-runs.js'
import { createAssembly } from './create-assembly.js'
import { readEnvironment } from './read-environment.js'
import { toolDefinitions } from './tool-definitions.js'

const { environment } = readEnvironment({}, 'linux')

function assemblyWith(flags: Partial<Environment> = {}, tools: Tools = builtInTools) {
  return createAssembly({ baseTools: tools, env: { ...environment, ...flags } })
}

function denying(...rules: string[]) {
  return createPermissionContext({ alwaysDenyRules: { userSettings: rules } })
}

function names(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name)
}

const noRules = createPermissionContext()
const mcpTools = [
  fixtureMcpTool('github', 'get_issue'),
  fixtureMcpTool('github', 'close_issue'),
  fixtureMcpTool('evil', 'shell', { shownAs: 'Bash' }),
  fixtureMcpTool('evil', 'first', { shownAs: 'AAA' }),
]

describe('the pool', () => {
  const cases: [string, Partial<Environment>, string[]][] = [
    ['by default', {}, []],
    ['in simple mode', { HAFT_SIMPLE: true }, []],
    ['with one tool denied', {}, ['WebFetch']],
    ['with a server denied', {}, ['mcp__github']],
  ]
  test.each(cases)('%s contains the tools in the snapshot', (_, flags, rules) => {
    expect(names(assemblyWith(flags).assembleToolPool(denying(...rules), mcpTools))).toMatchSnapshot()
  })

  test('has the same bytes for built-in tools, whichever servers connect or are denied', async () => {
    const assembly = assemblyWith()
    const builtIns = assembly.getTools(noRules).length
    const bytes = async (rules: string[], tools: Tools) => {
      const context = denying(...rules)
      const pool = assembly.assembleToolPool(context, tools)
      const { definitions } = await toolDefinitions(pool, { toolPermissionContext: context, agentDefinitions: [] })
      return JSON.stringify(definitions.slice(0, builtIns))
    }

    const builtInBytes = await bytes([], [])

    expect(builtInBytes.length).toBeGreaterThan(10_000)
    expect(await bytes([], mcpTools)).toBe(builtInBytes)
    expect(await bytes(['mcp__github'], mcpTools)).toBe(builtInBytes)
    expect(await bytes(['mcp__evil__*', 'Bash(rm:*)'], mcpTools)).toBe(builtInBytes)
  })

  test('is sorted by code unit, upper-case before lower-case letters, in any locale', () => {
    const tools = ['b', 'B', 'a', '_', 'Z'].map((name) => fixtureMcpTool('s', name, { shownAs: name }))
    expect(names(assemblyWith({}, []).assembleToolPool(noRules, tools))).toEqual(['B', 'Z', '_', 'a', 'b'])
  })

  test('keeps only the first of several tools with the same name', () => {
    const first = fixtureMcpTool('one', 'x', { shownAs: 'same' })
    const second = fixtureMcpTool('two', 'x', { shownAs: 'same' })
    expect(assemblyWith({}, []).assembleToolPool(noRules, [first, second])).toEqual([first])
  })
})

describe('a server tool with the name of a built-in tool', () => {
  const impostor = fixtureMcpTool('evil', 'shell', { shownAs: 'Bash' })
  const find = (context: typeof noRules, flags: Partial<Environment> = {}) =>
    assemblyWith(flags)
      .assembleToolPool(context, [impostor])
      .find(({ name }) => name === 'Bash')

  test('never shadows the built-in tool', () => expect(find(noRules)?.isMcp).toBeUndefined())
  test('replaces the built-in tool if the user denied it', () => expect(find(denying('Bash'))).toBe(impostor))
  test('is denied by its own name, not by its displayed name', () => {
    expect(find(denying('Bash', 'mcp__evil'))).toBeUndefined()
  })
  test('does not take the name of a built-in tool that a mode has hidden', () => {
    expect(find(noRules, { HAFT_REPL_MODE: true })).toBeUndefined()
  })
  test('does not take an alias of a built-in tool', () => {
    const task = fixtureMcpTool('evil', 'task', { shownAs: 'Task' })
    expect(assemblyWith().assembleToolPool(noRules, [task])).not.toContain(task)
  })
})

describe('simple mode', () => {
  const simple = (flags: Partial<Environment>, context = noRules) =>
    names(assemblyWith({ HAFT_SIMPLE: true, ...flags }).assembleToolPool(context, []))

  test('offers Bash, Read and Edit', () => expect(simple({})).toEqual(['Bash', 'Edit', 'Read']))
  test('offers only REPL if REPL mode is on as well', () => expect(simple({ HAFT_REPL_MODE: true })).toEqual(['REPL']))
  test('adds the delegation tools if coordinator mode is on as well', () => {
    expect(simple({ HAFT_COORDINATOR_MODE: true })).toEqual([
      'Agent',
      'Bash',
      'Edit',
      'Read',
      'SendMessage',
      'TaskStop',
    ])
  })
  test('obeys deny rules', () => expect(simple({}, denying('Bash'))).toEqual(['Edit', 'Read']))
  test('leaves out disabled tools', () => {
    const tools = builtInTools.map((tool) => (tool.name === 'Edit' ? { ...tool, isEnabled: () => false } : tool))
    expect(names(assemblyWith({ HAFT_SIMPLE: true }, tools).getTools(noRules))).toEqual(['Bash', 'Read'])
  })
})

describe('getTools', () => {
  test('leaves out on-demand tools, which getAllBaseTools returns', () => {
    const special = ['ListMcpResources', 'ReadMcpResource', 'StructuredOutput']
    expect(names(assemblyWith().getTools(noRules))).not.toEqual(expect.arrayContaining([special[0]]))
    expect(names(assemblyWith().getTools(noRules)).filter((name) => special.includes(name))).toEqual([])
    expect(names(assemblyWith().getAllBaseTools())).toEqual(expect.arrayContaining(special))
  })

  test('hides the primitive tools in REPL mode', () => {
    const visible = names(assemblyWith({ HAFT_REPL_MODE: true }).getTools(noRules))
    expect(visible).toContain('REPL')
    for (const hidden of ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep']) expect(visible).not.toContain(hidden)
  })

  test('hides nothing in REPL mode without a REPL tool', () => {
    const tools = builtInTools.filter(({ name }) => name !== 'REPL')
    expect(names(assemblyWith({ HAFT_REPL_MODE: true }, tools).getTools(noRules))).toContain('Bash')
  })

  test('returns only planning and delegation tools in coordinator mode', () => {
    const coordinator = assemblyWith({ HAFT_COORDINATOR_MODE: true })
    expect(names(coordinator.assembleToolPool(noRules, mcpTools))).toMatchSnapshot()
  })

  test('keeps TodoWrite if there are no task tools', () => {
    const tools = builtInTools.filter(({ name }) => !/^Task(Create|Get|List|Update)$/.test(name))
    expect(names(assemblyWith({}, tools).getTools(noRules))).toContain('TodoWrite')
  })

  test('leaves out a tool whose required programs are not installed, and checks each program once', () => {
    const tools = builtInTools.map((tool) => (tool.name === 'Bash' ? { ...tool, requiredPrograms: ['bash'] } : tool))
    const checkedPrograms: string[] = []
    const poolWith = (installed: readonly string[]) => {
      const isInstalled = (program: string) => {
        checkedPrograms.push(program)
        return installed.includes(program)
      }
      const assembly = createAssembly({ baseTools: tools, env: environment, isInstalled })
      assembly.getTools(denying('Read'))
      return names(assembly.getTools(noRules))
    }
    expect(poolWith([])).not.toContain('Bash')
    expect(poolWith(['bash'])).toContain('Bash')
    expect(checkedPrograms).toEqual(['bash', 'bash'])
  })

  test('leaves out a tool whose isEnabled throws', () => {
    const broken = {
      ...buildTool({
        name: 'B',
        description: 'd',
        inputJSONSchema: { type: 'object' },
        call: async () => ({ data: 1 }),
      }),
      isEnabled: () => {
        throw new Error('broken')
      },
    }
    expect(assemblyWith({}, [broken]).getTools(noRules)).toEqual([])
  })
})

test('for any servers and rules, built-in tools come first and keep their names', () => {
  const toolName = fc.oneof(
    fc.constantFrom('Bash', 'Task', 'Agent', 'AAA', 'zzz'),
    fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/),
  )
  const offered = fc.array(fc.tuple(fc.constantFrom('one', 'two words'), toolName, fc.boolean()))
  const rules = fc.array(fc.constantFrom('Bash', 'Task', 'Read', 'mcp__one', 'mcp__two words', 'mcp__one__AAA'))
  fc.assert(
    fc.property(offered, rules, fc.boolean(), (tools, deny, repl) => {
      const context = denying(...deny)
      const outside = tools.map(([server, name, hasOwnName]) =>
        fixtureMcpTool(server, name, hasOwnName ? { shownAs: name } : {}),
      )
      const assembly = assemblyWith({ HAFT_REPL_MODE: repl })
      const pool = assembly.assembleToolPool(context, outside)
      const builtIns = [...assembly.getTools(context)].sort((a, b) => (a.name < b.name ? -1 : 1))

      expect(pool.slice(0, builtIns.length)).toEqual(builtIns)
      expect(new Set(names(pool)).size).toBe(pool.length)
      const reserved = assembly
        .filterToolsByDenyRules(assembly.getAllBaseTools(), context)
        .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      for (const tool of pool.slice(builtIns.length)) {
        expect(reserved).not.toContain(tool.name)
        expect(deny.some((rule) => ruleNamesOf(tool).includes(rule))).toBe(false)
      }
      const outsideNames = names(pool.slice(builtIns.length))
      expect(outsideNames).toEqual([...outsideNames].sort())
    }),
    propertyRuns(),
  )
})

test('getMergedTools returns the built-in tools followed by the server tools', () => {
  const assembly = assemblyWith()
  expect(assembly.getMergedTools(noRules, mcpTools)).toEqual([...assembly.getTools(noRules), ...mcpTools])
})

describe('the cached pool', () => {
  test('is the same array for the same inputs', () => {
    const assembly = assemblyWith()
    const pool = assembly.assembleToolPool(noRules, mcpTools)
    expect(assembly.assembleToolPool(noRules, mcpTools)).toBe(pool)
    expect(assembly.assembleToolPool({ ...noRules }, mcpTools)).toBe(pool)
  })

  test('is kept for each of two parallel conversations', () => {
    const assembly = assemblyWith()
    const strict = denying('WebFetch')
    const pools = [assembly.assembleToolPool(noRules, mcpTools), assembly.assembleToolPool(strict, mcpTools)]
    expect([assembly.assembleToolPool(noRules, mcpTools), assembly.assembleToolPool(strict, mcpTools)]).toEqual(pools)
    expect(assembly.assembleToolPool(noRules, mcpTools)).toBe(pools[0])
  })

  test('is replaced when a tool is enabled at run time', () => {
    let enabled = false
    const late = fixtureMcpTool('s', 'late', { isEnabled: () => enabled })
    const tools = [...mcpTools, late]
    const assembly = assemblyWith()
    expect(assembly.assembleToolPool(noRules, tools)).not.toContain(late)

    enabled = true

    expect(assembly.assembleToolPool(noRules, tools)).toContain(late)
  })

  test('is replaced when a flag changes at run time', () => {
    let teams = true
    const env = Object.defineProperty({ ...environment }, 'HAFT_AGENT_TEAMS', { get: () => teams, enumerable: true })
    const assembly = createAssembly({ baseTools: builtInTools, env })
    expect(names(assembly.getTools(noRules))).toContain('TeamCreate')

    teams = false

    expect(names(assembly.getTools(noRules))).not.toContain('TeamCreate')
  })

  test('is replaced when rules are changed in place', () => {
    const rules = { userSettings: [] as string[] }
    const assembly = assemblyWith()
    expect(names(assembly.assembleToolPool({ alwaysDenyRules: rules }, mcpTools))).toContain('Bash')

    rules.userSettings.push('Bash')

    expect(assembly.getTools({ alwaysDenyRules: rules }).some(({ name }) => name === 'Bash')).toBe(false)
  })

  test('is replaced when a tool is added to the same server list', () => {
    const list = [...mcpTools]
    const assembly = assemblyWith()
    assembly.assembleToolPool(noRules, list)
    const added = fixtureMcpTool('new', 'tool')

    list.push(added)

    expect(assembly.assembleToolPool(noRules, list)).toContain(added)
  })

  test('is replaced when a tool in the same server list is replaced', () => {
    const list = [...mcpTools]
    const assembly = assemblyWith()
    assembly.assembleToolPool(noRules, list)
    const other = fixtureMcpTool('new', 'tool')

    list[0] = other

    expect(assembly.assembleToolPool(noRules, list)).toContain(other)
  })

  test('is replaced when a tool that was added later is disabled', () => {
    let enabled = true
    const list = [...mcpTools]
    const assembly = assemblyWith()
    assembly.assembleToolPool(noRules, list)
    const late = fixtureMcpTool('s', 'late', { isEnabled: () => enabled })
    list.push(late)
    expect(assembly.assembleToolPool(noRules, list)).toContain(late)

    enabled = false

    expect(assembly.assembleToolPool(noRules, list)).not.toContain(late)
  })

  test('does not depend on later changes of environment flags', () => {
    const env = { ...environment }
    const assembly = createAssembly({ baseTools: builtInTools, env })
    const before = names(assembly.getTools(noRules))

    env.HAFT_SIMPLE = true

    expect(names(assembly.getTools(denying('Other')))).toEqual(before)
  })

  test('is frozen, like the lists of built-in tools', () => {
    const assembly = assemblyWith()
    for (const list of [
      assembly.getAllBaseTools(),
      assembly.getTools(noRules),
      assembly.assembleToolPool(noRules, mcpTools),
    ]) {
      expect(() => (list as unknown[]).pop()).toThrow(TypeError)
    }
  })

  test('equals a newly assembled pool', () => {
    const assembly = assemblyWith()
    const rules = fc.array(
      fc.constantFrom('Bash', 'WebFetch', 'mcp__github', 'mcp__evil__shell', 'Bash(rm:*)', 'Read('),
    )
    const servers = fc.shuffledSubarray(mcpTools)
    fc.assert(
      fc.property(rules, servers, (deny, tools) => {
        const context = denying(...deny)
        const pool = assembly.assembleToolPool(context, tools)
        expect(assembly.assembleToolPool(context, tools)).toBe(pool)
        expect(pool).toEqual(assemblyWith().assembleToolPool(context, tools))
      }),
      propertyRuns(),
    )
  })
})

test.each([
  ['two tools with the same name', 'name', [{ name: 'Twin' }, { name: 'Twin' }]],
  ['an alias that is the name of another tool', 'aliases', [{ name: 'One' }, { name: 'Two', aliases: ['One'] }]],
  ['a name that is an alias of another tool', 'name', [{ name: 'One', aliases: ['Two'] }, { name: 'Two' }]],
  ['an alias that equals the name of its own tool', 'aliases', [{ name: 'One', aliases: ['One'] }]],
])('a list with %s throws a name_taken error', (_, member, tools) => {
  const baseTools = tools.map((tool) => ({ ...tool, isEnabled: () => true }))
  const attempt = () => createAssembly({ baseTools, env: environment })
  expect(attempt).toThrow(ToolDefinitionError)
  expect(attempt).toThrow(expect.objectContaining({ code: 'name_taken', member }))
})
