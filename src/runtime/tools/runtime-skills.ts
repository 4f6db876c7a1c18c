import { extractLoadedSkills } from '../../contract/attachments.js'
import type { Message } from '../../contract/messages.js'
import type { Skill } from '../../contract/tool/context.js'

const NO_SKILLS: readonly Skill[] = Object.freeze([])

/** The skills of a runtime, and the folders of the loaded ones, which may be read without a question. */
export class RuntimeSkills {
  readonly #source: () => readonly Skill[]
  #cached: { readonly skills: readonly Skill[]; readonly commands: readonly Skill[] } | undefined
  #folders: readonly string[] = []

  constructor(source: () => readonly Skill[] = () => NO_SKILLS) {
    this.#source = source
  }

  /** The current skills. Loading a skill makes its folder readable. Returns the same array while nothing changes. */
  get commands(): readonly Skill[] {
    const skills = this.#source()
    if (this.#cached?.skills !== skills)
      this.#cached = { skills, commands: skills.map((each) => this.#addFolderOpening(each)) }
    return this.#cached.commands
  }

  /** The folders of loaded skills: a new array whenever a folder is added. */
  get openFolders(): readonly string[] {
    return this.#folders
  }

  /** Opens the folders of skills that a resumed conversation had loaded, if the skill still exists there. */
  restore(messages: readonly Message[]): void {
    for (const { name, folder } of extractLoadedSkills(messages)) {
      if (this.#source().some((each) => each.name === name && each.skill.folder === folder)) this.#open(folder)
    }
  }

  #addFolderOpening(command: Skill): Skill {
    const { folder } = command.skill
    const read = async () => {
      const instructions = await command.skill.read()
      this.#open(folder)
      return instructions
    }
    return { ...command, skill: { ...command.skill, read } }
  }

  #open(folder: string): void {
    if (!this.#folders.includes(folder)) this.#folders = [...this.#folders, folder]
  }
}
