import type { Skill } from '../../../contract/context.js'
import type { AttachmentMessage, Message } from '../../../contract/messages.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import { warn } from '../../warn.js'
import type { PrintOptions } from './print-options.js'

/** What the user and the project tell every agent: instructions, and the skills there are. */
export interface Briefing {
  readonly skills: readonly Skill[]
  /** What a conversation has not been told yet. */
  news(messages: readonly Message[]): readonly AttachmentMessage[]
}

const NOTHING: Briefing = { skills: [], news: () => [] }

export async function loadBriefing(
  io: CommandIo,
  { cwd, homeDir }: CommandHost,
  { projectRoot, isTrusted }: LoadedSettings,
  { isBare }: Pick<PrintOptions, 'isBare'>,
): Promise<Briefing> {
  if (isBare) return NOTHING
  const [{ loadInstructions }, { announceInstructions }, { loadSkills }, { announceSkills }] = await Promise.all([
    import('../../../session/instructions/load-instructions.js'),
    import('../../../session/instructions/instructions-text.js'),
    import('../../../session/skills/load-skills.js'),
    import('../../../session/skills/announce-skills.js'),
  ])
  const onProblem = (problem: string) => warn(io, problem)
  const [files, skills] = await Promise.all([
    loadInstructions({ cwd, projectRoot, home: io.homeDir, onProblem }),
    loadSkills({ projectRoot, home: homeDir, isTrusted, onProblem }),
  ])
  return {
    skills,
    news: (messages) =>
      [announceInstructions(messages, files), announceSkills(messages, skills)].filter((each) => each !== undefined),
  }
}
