import type { PermissionBehavior } from '../contract/permission-result.js'
import { PermissionRuleError, parsePermissionRule } from '../contract/permission-rule.js'

/**
 * The rules of one list that are taken, without space around them and each once.
 * A rule that cannot be read is reported; in deny and ask it stays as written, since those who judge it fail closed.
 */
export function checkRules(
  behavior: PermissionBehavior,
  written: readonly string[],
  onMistake: (message: string, index: number) => void = () => {},
): readonly string[] {
  const taken = new Set<string>()
  for (const [index, rule] of written.entries()) {
    try {
      taken.add(parsePermissionRule(rule).text)
    } catch (error) {
      if (!(error instanceof PermissionRuleError)) throw error
      onMistake(error.message, index)
      if (behavior !== 'allow') taken.add(rule)
    }
  }
  return [...taken]
}
