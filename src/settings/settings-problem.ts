import type { RuleSource } from '../contract/permission-context.js'
import { printable } from '../shared/printable.js'
import type { TextPosition } from './text-position.js'

/** Something wrong with the settings that a person must see; nothing is dropped without one. */
export interface SettingsProblem {
  /** An error took something out of force; a warning did not. */
  readonly severity: 'error' | 'warning'
  readonly source: RuleSource
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** One line, with file, line and column where they are known. */
  readonly message: string
}

/** Where a problem lies: a file, or the name of the option that carried the settings. */
export interface ProblemPlace {
  readonly source: RuleSource
  readonly file?: string
  readonly name: string
}

export function settingsProblem(
  severity: SettingsProblem['severity'],
  place: ProblemPlace,
  text: string,
  position?: TextPosition,
): SettingsProblem {
  const at = position === undefined ? '' : `:${position.line}:${position.column}`
  return {
    severity,
    source: place.source,
    ...(place.file !== undefined && { file: place.file }),
    ...position,
    message: printable(`${place.name}${at}: ${text}`),
  }
}
