import type { PermissionBehavior, PermissionUpdate } from '../../contract/permission/result.js'
import { PermissionRuleError, parsePermissionRule } from '../../contract/permission/rule.js'

/**
 * Returns the rules of a list, trimmed and without duplicates.
 * An invalid rule is reported. It is removed from allow lists but stays in deny and ask lists, where it covers its whole
 * tool.
 */
export function checkRules(
  behavior: PermissionBehavior,
  rules: readonly string[],
  onInvalidRule: (message: string, index: number) => void = () => {},
): readonly string[] {
  const checked = new Set<string>()
  for (const [index, rule] of rules.entries()) {
    try {
      checked.add(parsePermissionRule(rule).text)
    } catch (error) {
      if (!(error instanceof PermissionRuleError)) throw error
      onInvalidRule(error.message, index)
      if (behavior !== 'allow') checked.add(rule)
    }
  }
  return [...checked]
}

export type RulesUpdate = Extract<PermissionUpdate, { readonly behavior: unknown }>

/** The list after an update; the same array if nothing changes. */
export function changeRules(current: readonly string[], { type, behavior, rules }: RulesUpdate): readonly string[] {
  if (type === 'removeRules') {
    const removed = new Set(rules.map((rule) => rule.trim()))
    const remaining = current.filter((rule) => !removed.has(rule.trim()))
    return remaining.length === current.length ? current : remaining
  }
  const validRules = checkRules(behavior, rules)
  if (type === 'replaceRules') return isSameList(current, validRules) ? current : validRules
  const currentRules = new Set(current.map((rule) => rule.trim()))
  const added = validRules.filter((rule) => !currentRules.has(rule.trim()))
  return added.length === 0 ? current : [...current, ...added]
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
