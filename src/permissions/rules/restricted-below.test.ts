import { describe, expect, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import { createFakePaths, PATH_CONTEXT } from '../fixture-calls.js'
import { createLookup, type PathFacts } from '../paths/judge-path.js'
import { createRestrictedTest } from './restricted-below.js'

async function isHidden(
  folder: string,
  path: string,
  rules: { readonly deny?: readonly string[]; readonly ask?: readonly string[] },
  paths: PathFacts = createFakePaths(),
): Promise<boolean> {
  const context = createPermissionContext({
    alwaysDenyRules: { session: rules.deny ?? [] },
    alwaysAskRules: { session: rules.ask ?? [] },
  })
  const isRestricted = await createRestrictedTest({ folder }, ['Grep'], context, {
    pathContext: PATH_CONTEXT,
    lookup: createLookup(paths),
  })
  return isRestricted?.(path) ?? false
}

describe('during a search', () => {
  test.each([
    ['Read(.env)', '/project', '/project/.env', true],
    ['Read(.env)', '/project', '/project/deep/.env', true],
    ['Read(.env)', '/project/deep', '/project/deep/.env', true],
    ['Read(.env)', '/project', '/project/.env.local', false],
    ['Read(secrets/**)', '/project', '/project/secrets/a/b', true],
    ['Read(secrets/**)', '/project', '/project/src/secrets', false],
    ['Read(a/*/key)', '/project/a', '/project/a/b/key', true],
    ['Read(a/*/key)', '/project/a', '/project/a/b/c/key', false],
    ['Read(~/.ssh/**)', '/home', '/home/dev/.ssh/id', true],
    ['Read(//etc/**)', '/', '/etc/passwd', true],
    ['Grep(logs/**)', '/project', '/project/logs/a', true],
    ['Edit(logs/**)', '/project', '/project/logs/a', false],
  ])('with the rule %s in the folder %s, the file %s is hidden: %s', async (rule, folder, path, expected) => {
    expect(await isHidden(folder, path, { deny: [rule] })).toBe(expected)
    // The search must also omit files that ask rules cover, because the user was not asked about them.
    expect(await isHidden(folder, path, { ask: [rule] })).toBe(expected)
  })
})

test('during a search, links in the paths of the folder and of a rule are followed', async () => {
  const paths = createFakePaths({ links: { '/project/link': '/data/real', '/project/secrets': '/project/hidden' } })
  expect(await isHidden('/project/link', '/project/link/a', { deny: ['Read(//data/real/a)'] }, paths)).toBe(true)
  expect(await isHidden('/project', '/project/hidden/a', { deny: ['Read(secrets/**)'] }, paths)).toBe(true)
})

test('during a search, rules ignore letter case on a case-insensitive file system', async () => {
  const rules = { deny: ['Read(.env)'] }
  expect(await isHidden('/project', '/project/.ENV', rules, createFakePaths({ isCaseInsensitive: true }))).toBe(true)
  expect(await isHidden('/project', '/project/.ENV', rules)).toBe(false)
})

test('during a search, a relative rule covers paths below the start folder and the working directory', async () => {
  const context = createPermissionContext({ alwaysDenyRules: { session: ['Read(x/**)'] } })
  const pathContext = { ...PATH_CONTEXT, cwd: '/project/sub', startDir: '/project' }
  const isRestricted = await createRestrictedTest({ folder: '/project' }, [], context, {
    pathContext,
    lookup: createLookup(createFakePaths()),
  })
  const paths = ['/project/x/a', '/project/sub/x/a', '/project/other/x/a']
  expect(paths.map((path) => isRestricted?.(path))).toEqual([true, true, false])
})

test('createRestrictedTest returns no test if no rule is about files', async () => {
  const context = createPermissionContext({ alwaysDenyRules: { session: ['Read', 'Bash(rm:*)'] } })
  const ruleContext = { pathContext: PATH_CONTEXT, lookup: createLookup(createFakePaths()) }
  expect(await createRestrictedTest({ folder: '/project' }, ['Grep'], context, ruleContext)).toBeUndefined()
})
