import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { judgePath, toSlashes } from '../paths/judge-path.js'
import { compileRules } from './compile-rules.js'
import { createRestrictingTest, type RuleContext } from './match-path.js'

/** Whether rules restrict a file, given by its absolute path below the searched folder. */
export type IsRestricted = (path: string) => boolean

/** A folder to search. `realPath` is its target when permission was decided; if omitted, its links are resolved now. */
interface SearchedFolder {
  readonly folder: string
  readonly realPath?: string | undefined
}

/**
 * Creates a test for files below a folder that a deny or ask rule covers for reading. A search that omits these files needs no
 * approval for them. Links below the folder are not followed, because searches do not follow them. Returns undefined if no
 * rule can match a file.
 */
export async function createRestrictedTest(
  { folder, realPath }: SearchedFolder,
  toolNames: readonly string[],
  context: ToolPermissionContext,
  ruleContext: RuleContext,
): Promise<IsRestricted | undefined> {
  const { deny, ask } = compileRules(context)
  const names = new Set([...toolNames, RULE_FAMILIES.reads])
  const rules = [deny, ask].flatMap(({ contentRules }) => [...names].flatMap((name) => contentRules.get(name) ?? []))
  const patterns = rules.flatMap(({ path }) => path ?? [])
  if (patterns.length === 0) return undefined
  const { pathContext, lookup } = ruleContext
  const judgedPath = await judgePath({ originalPath: realPath ?? folder, isFolder: true }, pathContext, lookup)
  const forms = realPath === undefined ? judgedPath.forms : [folder, toSlashes(realPath, pathContext)]
  const tests = await Promise.all(
    patterns.map((pattern) => createRestrictingTest(pattern, judgedPath.isCaseInsensitive, ruleContext)),
  )
  return (path) => {
    const relativePath = path.slice(folder.replace(/\/$/, '').length)
    return forms.some((form) => {
      const spelling = form.replace(/\/$/, '') + relativePath
      return tests.some((matches) => matches(spelling))
    })
  }
}
