import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { judgePath } from '../paths/judge-path.js'
import { compileRules } from './compile-rules.js'
import { type RuleGround, restrictingTest } from './match-path.js'

/** Whether rules restrict a file, by its absolute path below the folder that was asked about. */
export type IsRestricted = (path: string) => boolean

/**
 * Tells which files below a folder a rule denies reading, or wants a person asked about: a search that leaves out just
 * these may go over the folder without a question. Links are not followed below the folder, as no search follows them.
 * Undefined where no rule could mean a file.
 */
export async function restrictedBelow(
  folder: string,
  toolNames: readonly string[],
  context: ToolPermissionContext,
  ground: RuleGround,
): Promise<IsRestricted | undefined> {
  const { deny, ask } = compileRules(context)
  const names = new Set([...toolNames, RULE_FAMILIES.reads])
  const rules = [deny, ask].flatMap(({ withContent }) => [...names].flatMap((name) => withContent.get(name) ?? []))
  const patterns = rules.flatMap(({ path }) => path ?? [])
  if (patterns.length === 0) return undefined
  const { forms, isCaseInsensitive } = await judgePath({ written: folder, isFolder: true }, ground.place, ground.lookup)
  const tests = await Promise.all(patterns.map((pattern) => restrictingTest(pattern, isCaseInsensitive, ground)))
  return (path) => {
    const below = path.slice(folder.replace(/\/$/, '').length)
    return forms.some((form) => {
      const spelling = form.replace(/\/$/, '') + below
      return tests.some((means) => means(spelling))
    })
  }
}
