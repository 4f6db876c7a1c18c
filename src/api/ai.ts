export {
  type AiSchema,
  type AiTool,
  createLiveAiTools,
  type LiveAiTools,
  toAiTools,
} from '../runtime/ai/to-ai-tools.js'
export type { AiModelOutput } from '../runtime/ai/to-model-output.js'
