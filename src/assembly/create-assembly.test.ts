import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolDefinitionError } from '../contract/errors.js'
import type { Environment } from '../contract/flags.js'
import { createPermissionContext } from '../contract/permission/context.js'
import { buildTool } from '../contract/tool/build-tool.js'
import { ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tools } from '../contract/tool/tool.js'
import { createFixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { builtInTools } from '../testing/fixture-tools.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { createAssembly } from './create-assembly.js'
import { readEnvironment } from './read-environment.js'
import { toolDefinitions } from './tool-definitions.js'

const { environment } = readEnvironment({}, 'linux')

function createAssemblyWith(flags: Partial<Environment> = {}, tools: Tools = builtInTools) {
  return createAssembly({ baseTools: tools, env: { ...environment, ...flags } })
}

function toDenyContext(...rules: string[]) {
  return createPermissionContext({ alwaysDenyRules: { userSettings: rules } })
}

function listNames(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name)
}

const noRules = createPermissionContext()
const mcpTools = [
  createFixtureMcpTool('github', 'get_issue'),
  createFixtureMcpTool('github', 'close_issue'),
  createFixtureMcpTool('evil', 'shell', { shownAs: 'Bash' }),
  createFixtureMcpTool('evil', 'first', { shownAs: 'AAA' }),
]

describe('the pool', () => {
  const cases: [string, Partial<Environment>, string[]][] = [
    ['by default', {}, []],
    ['in simple mode', { HAFT_SIMPLE: true }, []],
    ['with one tool denied', {}, ['WebFetch']],
    ['with a server denied', {}, ['mcp__github']],
  ]
  test.each(cases)('%s contains the tools in the snapshot', (_, flags, rules) => {
    expect(listNames(createAssemblyWith(flags).assembleToolPool(toDenyContext(...rules), mcpTools))).toMatchSnapshot()
  })

  test('has the same bytes for built-in tools, whichever servers connect or are denied', async () => {
    const assembly = createAssemblyWith()
    const builtInCount = assembly.getTools(noRules).length
    const serialiseBuiltIns = async (rules: string[], tools: Tools) => {
      const context = toDenyContext(...rules)
      const pool = assembly.assembleToolPool(context, tools)
      const { definitions } = await toolDefinitions(pool, { toolPermissionContext: context, agentDefinitions: [] })
      return JSON.stringify(definitions.slice(0, builtInCount))
    }

    const builtInBytes = await serialiseBuiltIns([], [])

    expect(builtInBytes.length).toBeGreaterThan(10_000)
    expect(await serialiseBuiltIns([], mcpTools)).toBe(builtInBytes)
    expect(await serialiseBuiltIns(['mcp__github'], mcpTools)).toBe(builtInBytes)
    expect(await serialiseBuiltIns(['mcp__evil__*', 'Bash(rm:*)'], mcpTools)).toBe(builtInBytes)
  })

  test('is sorted by code unit, upper-case before lower-case letters, in any locale', () => {
    const tools = ['b', 'B', 'a', '_', 'Z'].map((name) => createFixtureMcpTool('s', name, { shownAs: name }))
    expect(listNames(createAssemblyWith({}, []).assembleToolPool(noRules, tools))).toEqual(['B', 'Z', '_', 'a', 'b'])
  })

  test('keeps only the first of several tools with the same name', () => {
    const first = createFixtureMcpTool('one', 'x', { shownAs: 'same' })
    const second = createFixtureMcpTool('two', 'x', { shownAs: 'same' })
    expect(createAssemblyWith({}, []).assembleToolPool(noRules, [first, second])).toEqual([first])
  })
})

describe('a server tool with the name of a built-in tool', () => {
  const impostor = createFixtureMcpTool('evil', 'shell', { shownAs: 'Bash' })
  const find = (context: typeof noRules, flags: Partial<Environment> = {}) =>
    createAssemblyWith(flags)
      .assembleToolPool(context, [impostor])
      .find(({ name }) => name === 'Bash')

  test('never shadows the built-in tool', () => expect(find(noRules)?.isMcp).toBeUndefined())
  test('replaces the built-in tool if the user denied it', () => expect(find(toDenyContext('Bash'))).toBe(impostor))
  test('is denied by its own name, not by its displayed name', () => {
    expect(find(toDenyContext('Bash', 'mcp__evil'))).toBeUndefined()
  })
  test('does not take the name of a built-in tool that a mode has hidden', () => {
    expect(find(noRules, { HAFT_REPL_MODE: true })).toBeUndefined()
  })
  test('does not take an alias of a built-in tool', () => {
    const task = createFixtureMcpTool('evil', 'task', { shownAs: 'Task' })
    expect(createAssemblyWith().assembleToolPool(noRules, [task])).not.toContain(task)
  })
})

describe('simple mode', () => {
  const listSimpleModeNames = (flags: Partial<Environment>, context = noRules) =>
    listNames(createAssemblyWith({ HAFT_SIMPLE: true, ...flags }).assembleToolPool(context, []))

  test('offers Bash, Read and Edit', () => expect(listSimpleModeNames({})).toEqual(['Bash', 'Edit', 'Read']))
  test('offers only REPL if REPL mode is on as well', () =>
    expect(listSimpleModeNames({ HAFT_REPL_MODE: true })).toEqual(['REPL']))
  test('adds the delegation tools if coordinator mode is on as well', () => {
    expect(listSimpleModeNames({ HAFT_COORDINATOR_MODE: true })).toEqual([
      'Agent',
      'Bash',
      'Edit',
      'Read',
      'SendMessage',
      'TaskStop',
    ])
  })
  test('obeys deny rules', () => expect(listSimpleModeNames({}, toDenyContext('Bash'))).toEqual(['Edit', 'Read']))
  test('leaves out disabled tools', () => {
    const tools = builtInTools.map((tool) => (tool.name === 'Edit' ? { ...tool, isEnabled: () => false } : tool))
    expect(listNames(createAssemblyWith({ HAFT_SIMPLE: true }, tools).getTools(noRules))).toEqual(['Bash', 'Read'])
  })
})

describe('getTools', () => {
  test('leaves out on-demand tools, which getAllBaseTools returns', () => {
    const specialNames = ['ListMcpResources', 'ReadMcpResource', 'StructuredOutput']
    expect(listNames(createAssemblyWith().getTools(noRules))).not.toEqual(expect.arrayContaining([specialNames[0]]))
    expect(listNames(createAssemblyWith().getTools(noRules)).filter((name) => specialNames.includes(name))).toEqual([])
    expect(listNames(createAssemblyWith().getAllBaseTools())).toEqual(expect.arrayContaining(specialNames))
  })

  test('hides the primitive tools in REPL mode', () => {
    const visibleNames = listNames(createAssemblyWith({ HAFT_REPL_MODE: true }).getTools(noRules))
    expect(visibleNames).toContain('REPL')
    for (const hiddenName of ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep'])
      expect(visibleNames).not.toContain(hiddenName)
  })

  test('hides nothing in REPL mode without a REPL tool', () => {
    const tools = builtInTools.filter(({ name }) => name !== 'REPL')
    expect(listNames(createAssemblyWith({ HAFT_REPL_MODE: true }, tools).getTools(noRules))).toContain('Bash')
  })

  test('returns only planning and delegation tools in coordinator mode', () => {
    const coordinatorAssembly = createAssemblyWith({ HAFT_COORDINATOR_MODE: true })
    expect(listNames(coordinatorAssembly.assembleToolPool(noRules, mcpTools))).toMatchSnapshot()
  })

  test('keeps TodoWrite if there are no task tools', () => {
    const tools = builtInTools.filter(({ name }) => !/^Task(Create|Get|List|Update)$/.test(name))
    expect(listNames(createAssemblyWith({}, tools).getTools(noRules))).toContain('TodoWrite')
  })

  test('leaves out a tool whose required programs are not installed, and checks each program once', () => {
    const tools = builtInTools.map((tool) => (tool.name === 'Bash' ? { ...tool, requiredPrograms: ['bash'] } : tool))
    const checkedPrograms: string[] = []
    const createPoolWith = (installedPrograms: readonly string[]) => {
      const isInstalled = (program: string) => {
        checkedPrograms.push(program)
        return installedPrograms.includes(program)
      }
      const assembly = createAssembly({ baseTools: tools, env: environment, isInstalled })
      assembly.getTools(toDenyContext('Read'))
      return listNames(assembly.getTools(noRules))
    }
    expect(createPoolWith([])).not.toContain('Bash')
    expect(createPoolWith(['bash'])).toContain('Bash')
    expect(checkedPrograms).toEqual(['bash', 'bash'])
  })

  test('leaves out a tool whose isEnabled throws', () => {
    const brokenTool = {
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
    expect(createAssemblyWith({}, [brokenTool]).getTools(noRules)).toEqual([])
  })
})

test('for any servers and rules, built-in tools come first and keep their names', () => {
  const toolName = fc.oneof(
    fc.constantFrom('Bash', 'Task', 'Agent', 'AAA', 'zzz'),
    fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/),
  )
  const offeredTools = fc.array(fc.tuple(fc.constantFrom('one', 'two words'), toolName, fc.boolean()))
  const rules = fc.array(fc.constantFrom('Bash', 'Task', 'Read', 'mcp__one', 'mcp__two words', 'mcp__one__AAA'))
  fc.assert(
    fc.property(offeredTools, rules, fc.boolean(), (tools, denyRules, isReplMode) => {
      const context = toDenyContext(...denyRules)
      const externalTools = tools.map(([server, name, hasOwnName]) =>
        createFixtureMcpTool(server, name, hasOwnName ? { shownAs: name } : {}),
      )
      const assembly = createAssemblyWith({ HAFT_REPL_MODE: isReplMode })
      const pool = assembly.assembleToolPool(context, externalTools)
      const sortedBuiltIns = [...assembly.getTools(context)].sort((a, b) => (a.name < b.name ? -1 : 1))

      expect(pool.slice(0, sortedBuiltIns.length)).toEqual(sortedBuiltIns)
      expect(new Set(listNames(pool)).size).toBe(pool.length)
      const reservedNames = assembly
        .filterToolsByDenyRules(assembly.getAllBaseTools(), context)
        .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      for (const tool of pool.slice(sortedBuiltIns.length)) {
        expect(reservedNames).not.toContain(tool.name)
        expect(denyRules.some((rule) => ruleNamesOf(tool).includes(rule))).toBe(false)
      }
      const outsideNames = listNames(pool.slice(sortedBuiltIns.length))
      expect(outsideNames).toEqual([...outsideNames].sort())
    }),
    createPropertyOptions(),
  )
})

test('getMergedTools returns the built-in tools followed by the server tools', () => {
  const assembly = createAssemblyWith()
  expect(assembly.getMergedTools(noRules, mcpTools)).toEqual([...assembly.getTools(noRules), ...mcpTools])
})

describe('the cached pool', () => {
  test('is the same array for the same inputs', () => {
    const assembly = createAssemblyWith()
    const pool = assembly.assembleToolPool(noRules, mcpTools)
    expect(assembly.assembleToolPool(noRules, mcpTools)).toBe(pool)
    expect(assembly.assembleToolPool({ ...noRules }, mcpTools)).toBe(pool)
  })

  test('is kept for each of two parallel conversations', () => {
    const assembly = createAssemblyWith()
    const strictContext = toDenyContext('WebFetch')
    const pools = [assembly.assembleToolPool(noRules, mcpTools), assembly.assembleToolPool(strictContext, mcpTools)]
    expect([assembly.assembleToolPool(noRules, mcpTools), assembly.assembleToolPool(strictContext, mcpTools)]).toEqual(
      pools,
    )
    expect(assembly.assembleToolPool(noRules, mcpTools)).toBe(pools[0])
  })

  test('is replaced when a tool is enabled at run time', () => {
    let isEnabled = false
    const lateTool = createFixtureMcpTool('s', 'late', { isEnabled: () => isEnabled })
    const tools = [...mcpTools, lateTool]
    const assembly = createAssemblyWith()
    expect(assembly.assembleToolPool(noRules, tools)).not.toContain(lateTool)

    isEnabled = true

    expect(assembly.assembleToolPool(noRules, tools)).toContain(lateTool)
  })

  test('is replaced when a flag changes at run time', () => {
    let areTeamsEnabled = true
    const env = Object.defineProperty({ ...environment }, 'HAFT_AGENT_TEAMS', {
      get: () => areTeamsEnabled,
      enumerable: true,
    })
    const assembly = createAssembly({ baseTools: builtInTools, env })
    expect(listNames(assembly.getTools(noRules))).toContain('TeamCreate')

    areTeamsEnabled = false

    expect(listNames(assembly.getTools(noRules))).not.toContain('TeamCreate')
  })

  test('is replaced when rules are changed in place', () => {
    const rules = { userSettings: [] as string[] }
    const assembly = createAssemblyWith()
    expect(listNames(assembly.assembleToolPool({ alwaysDenyRules: rules }, mcpTools))).toContain('Bash')

    rules.userSettings.push('Bash')

    expect(assembly.getTools({ alwaysDenyRules: rules }).some(({ name }) => name === 'Bash')).toBe(false)
  })

  test('is replaced when a tool is added to the same server list', () => {
    const list = [...mcpTools]
    const assembly = createAssemblyWith()
    assembly.assembleToolPool(noRules, list)
    const addedTool = createFixtureMcpTool('new', 'tool')

    list.push(addedTool)

    expect(assembly.assembleToolPool(noRules, list)).toContain(addedTool)
  })

  test('is replaced when a tool in the same server list is replaced', () => {
    const list = [...mcpTools]
    const assembly = createAssemblyWith()
    assembly.assembleToolPool(noRules, list)
    const otherTool = createFixtureMcpTool('new', 'tool')

    list[0] = otherTool

    expect(assembly.assembleToolPool(noRules, list)).toContain(otherTool)
  })

  test('is replaced when a tool that was added later is disabled', () => {
    let isEnabled = true
    const list = [...mcpTools]
    const assembly = createAssemblyWith()
    assembly.assembleToolPool(noRules, list)
    const lateTool = createFixtureMcpTool('s', 'late', { isEnabled: () => isEnabled })
    list.push(lateTool)
    expect(assembly.assembleToolPool(noRules, list)).toContain(lateTool)

    isEnabled = false

    expect(assembly.assembleToolPool(noRules, list)).not.toContain(lateTool)
  })

  test('does not depend on later changes of environment flags', () => {
    const env = { ...environment }
    const assembly = createAssembly({ baseTools: builtInTools, env })
    const namesBefore = listNames(assembly.getTools(noRules))

    env.HAFT_SIMPLE = true

    expect(listNames(assembly.getTools(toDenyContext('Other')))).toEqual(namesBefore)
  })

  test('is frozen, like the lists of built-in tools', () => {
    const assembly = createAssemblyWith()
    for (const list of [
      assembly.getAllBaseTools(),
      assembly.getTools(noRules),
      assembly.assembleToolPool(noRules, mcpTools),
    ]) {
      expect(() => (list as unknown[]).pop()).toThrow(TypeError)
    }
  })

  test('equals a newly assembled pool', () => {
    const assembly = createAssemblyWith()
    const rules = fc.array(
      fc.constantFrom('Bash', 'WebFetch', 'mcp__github', 'mcp__evil__shell', 'Bash(rm:*)', 'Read('),
    )
    const servers = fc.shuffledSubarray(mcpTools)
    fc.assert(
      fc.property(rules, servers, (denyRules, tools) => {
        const context = toDenyContext(...denyRules)
        const pool = assembly.assembleToolPool(context, tools)
        expect(assembly.assembleToolPool(context, tools)).toBe(pool)
        expect(pool).toEqual(createAssemblyWith().assembleToolPool(context, tools))
      }),
      createPropertyOptions(),
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
