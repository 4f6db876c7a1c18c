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
  const checkedRules = new Set<string>()
  for (const [index, rule] of rules.entries()) {
    try {
      checkedRules.add(parsePermissionRule(rule).text)
    } catch (error) {
      if (!(error instanceof PermissionRuleError)) throw error
      onInvalidRule(error.message, index)
      if (behavior !== 'allow') checkedRules.add(rule)
    }
  }
  return [...checkedRules]
}

export type RulesUpdate = Extract<PermissionUpdate, { readonly behavior: unknown }>

/** Returns the list after an update; the same array if nothing changes. */
export function changeRules(
  currentTexts: readonly string[],
  { type, behavior, rules }: RulesUpdate,
): readonly string[] {
  if (type === 'removeRules') {
    const removedRules = new Set(rules.map((rule) => rule.trim()))
    const remainingRules = currentTexts.filter((rule) => !removedRules.has(rule.trim()))
    return remainingRules.length === currentTexts.length ? currentTexts : remainingRules
  }
  const validRules = checkRules(behavior, rules)
  if (type === 'replaceRules') return isSameList(currentTexts, validRules) ? currentTexts : validRules
  const currentRules = new Set(currentTexts.map((rule) => rule.trim()))
  const addedRules = validRules.filter((rule) => !currentRules.has(rule.trim()))
  return addedRules.length === 0 ? currentTexts : [...currentTexts, ...addedRules]
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
