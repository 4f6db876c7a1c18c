import type { CommandSpec, CommandUsage } from './command-spec.js'

/** Every property of a usage or specification. */
type AllProperties = { readonly [Name in keyof Required<CommandSpec>]: undefined }

const NO_PROPERTIES: AllProperties = {
  names: undefined,
  examples: undefined,
  manual: undefined,
  isObserved: undefined,
  hasObservedHelp: undefined,
  isTransparent: undefined,
  options: undefined,
  operands: undefined,
  operandCases: undefined,
  minOperands: undefined,
  lastOperand: undefined,
  readsByDefault: undefined,
  changesOtherwise: undefined,
  changesWith: undefined,
  recursiveOptions: undefined,
  followsWith: undefined,
  requires: undefined,
  conditionalRequirements: undefined,
  exclusivePairs: undefined,
  style: undefined,
  endsOptionsAtOperand: undefined,
  acceptsAbbreviations: undefined,
  expandsArgumentFiles: undefined,
  hasOnlyHarmlessOptions: undefined,
  isOpaque: undefined,
  network: undefined,
  risk: undefined,
  runsUnknown: undefined,
  programVariables: undefined,
  usesRepository: undefined,
  subcommands: undefined,
  otherSubcommands: undefined,
  checker: undefined,
}

const uniformUsages = new WeakMap<CommandUsage, CommandUsage>()

/**
 * Returns a copy of the usage with all properties, which are undefined if the table omits them. JavaScript engines read the
 * properties of objects of the same shape several times faster than those of hundreds of different shapes. Each usage is
 * copied once.
 */
export function toUniformUsage<Usage extends CommandUsage>(usage: Usage): Usage {
  let uniformUsage = uniformUsages.get(usage)
  if (uniformUsage === undefined) {
    uniformUsage = { ...NO_PROPERTIES, ...usage } as Usage
    uniformUsages.set(usage, uniformUsage)
  }
  return uniformUsage as Usage
}
