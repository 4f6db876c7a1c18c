import type { RuleSource } from '../../contract/permission/context.js'
import { toPrintable } from '../../shared/printable.js'
import { findNearestNode, type JsoncNode, type TextPosition, toTextPosition } from '../jsonc/parse-jsonc.js'

/** A problem with the settings to show to the user. No invalid setting is ignored without one. */
export interface SettingsProblem {
  /** `error`: a setting is invalid. `warning`: a setting can be read, but is probably a mistake. */
  readonly severity: 'error' | 'warning'
  readonly source: RuleSource
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** One line, with file, line and column if known. */
  readonly message: string
}

/** Where a problem is: a file, or the name of the option that contained the settings. */
export interface SettingsOrigin {
  readonly source: RuleSource
  readonly file?: string
  readonly name: string
}

export function createSettingsProblem(
  severity: SettingsProblem['severity'],
  origin: SettingsOrigin,
  text: string,
  position?: TextPosition,
): SettingsProblem {
  const at = position === undefined ? '' : `:${position.line}:${position.column}`
  return {
    severity,
    source: origin.source,
    ...(origin.file !== undefined && { file: origin.file }),
    ...position,
    message: toPrintable(`${origin.name}${at}: ${text}`),
  }
}

/** A hostile file could contain a hundred thousand problems. */
const MAX_PROBLEMS = 20

/** Collects the problems of one file or option, with line and column if known. */
export class ProblemLog {
  /** False if a setting that may have made Haft stricter was ignored. */
  isComplete = true
  private readonly listedProblems: SettingsProblem[] = []
  private unlistedCount = 0

  constructor(
    private readonly origin: SettingsOrigin,
    private readonly text?: string,
    private readonly root?: JsoncNode,
  ) {}

  add(severity: SettingsProblem['severity'], text: string, path?: readonly PropertyKey[]): void {
    const hasPosition = !this.isFull && this.root !== undefined && path !== undefined
    this.addAt(severity, text, hasPosition ? findNearestNode(this.root, path).start : undefined)
  }

  /** True if further problems are only counted, so that callers can skip their details. */
  get isFull(): boolean {
    return this.listedProblems.length >= MAX_PROBLEMS
  }

  addAt(severity: SettingsProblem['severity'], text: string, offset?: number): void {
    if (this.isFull) {
      this.unlistedCount++
      return
    }
    const position = this.text === undefined || offset === undefined ? undefined : toTextPosition(this.text, offset)
    this.listedProblems.push(createSettingsProblem(severity, this.origin, text, position))
  }

  get problems(): readonly SettingsProblem[] {
    if (this.unlistedCount === 0) return this.listedProblems
    return [
      ...this.listedProblems,
      createSettingsProblem('error', this.origin, `further problems that are not listed: ${this.unlistedCount}.`),
    ]
  }
}
