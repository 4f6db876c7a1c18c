import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { judgePath } from '../paths/judge-path.js'
import { compileRules } from './compile-rules.js'
import { createRestrictingTest, type RuleContext } from './match-path.js'

/** Whether rules restrict a file, given its absolute path below the searched folder. */
export type IsRestricted = (path: string) => boolean

/**
 * Returns a test for files below a folder that a deny or ask rule covers for reading. A search that omits these files
 * needs no question. Links below the folder are not followed, because searches do not follow them. Returns undefined if
 * no rule can match a file.
 */
export async function createRestrictedTest(
  folder: string,
  toolNames: readonly string[],
  context: ToolPermissionContext,
  ruleContext: RuleContext,
): Promise<IsRestricted | undefined> {
  const { deny, ask } = compileRules(context)
  const names = new Set([...toolNames, RULE_FAMILIES.reads])
  const rules = [deny, ask].flatMap(({ withContent }) => [...names].flatMap((name) => withContent.get(name) ?? []))
  const patterns = rules.flatMap(({ path }) => path ?? [])
  if (patterns.length === 0) return undefined
  const { forms, isCaseInsensitive } = await judgePath(
    { originalPath: folder, isFolder: true },
    ruleContext.place,
    ruleContext.lookup,
  )
  const tests = await Promise.all(
    patterns.map((pattern) => createRestrictingTest(pattern, isCaseInsensitive, ruleContext)),
  )
  return (path) => {
    const relativePath = path.slice(folder.replace(/\/$/, '').length)
    return forms.some((form) => {
      const spelling = form.replace(/\/$/, '') + relativePath
      return tests.some((matches) => matches(spelling))
    })
  }
}
