import type { Skill } from '../../../contract/tool/context.js'
import type { AgentKind } from '../../../session/agents/agent-kind.js'
import type { InstructionFile } from '../../../session/instructions/load-instructions.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import { warn } from '../../warn.js'
import type { PrintOptions } from './print-options.js'
import { withheldFolders } from './withheld-folders.js'

/** What the user and the project tell every agent: instructions, the skills there are, and kinds of sub-agents. */
export interface Briefing {
  readonly instructions: readonly InstructionFile[]
  readonly skills: readonly Skill[]
  readonly kinds: readonly AgentKind[]
}

const NOTHING: Briefing = { instructions: [], skills: [], kinds: [] }

export async function loadBriefing(
  io: CommandIo,
  { cwd, homeDir }: CommandHost,
  { projectRoot, isTrusted }: LoadedSettings,
  { isBare }: Pick<PrintOptions, 'isBare'>,
): Promise<Briefing> {
  if (isBare) return NOTHING
  const onProblem = (problem: string) => warn(io, problem)
  // What lies in the home folder is the user's own.
  const isWithheld = !isTrusted && projectRoot !== homeDir
  const [instructions, skills, kinds, withheld] = await Promise.all([
    import('../../../session/instructions/load-instructions.js').then(({ loadInstructions }) =>
      loadInstructions({ cwd, projectRoot, home: io.homeDir, onProblem }),
    ),
    import('../../../session/skills/load-skills.js').then(({ loadSkills }) =>
      loadSkills({ projectRoot, home: homeDir, isTrusted, onProblem }),
    ),
    import('../../../session/agents/load-agent-kinds.js').then(({ loadAgentKinds }) =>
      loadAgentKinds({ projectRoot, home: io.homeDir, isTrusted, onProblem }),
    ),
    isWithheld ? withheldFolders(projectRoot) : undefined,
  ])
  if (withheld !== undefined) onProblem(withheld)
  return { instructions, skills, kinds }
}
