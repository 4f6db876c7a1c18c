import type { ReadSettings } from './read-settings-text.js'
import type { ProblemPlace } from './settings-problem.js'

/** The settings of one place. Several layers can belong to one source, the higher first. */
export interface SettingsLayer extends ReadSettings {
  readonly place: ProblemPlace
  /** Where relative directories of this layer count from. */
  readonly base: string
}
