/** The thread that translates an archive of the public platform: a stranger's file cannot block the event loop. */
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../../../lib/failure.ts'
import { moveGit, type Translation, type TranslationRequest, translate } from './translation.ts'

export type TranslationAnswer = {
  readonly translation?: Translation
  readonly refusal?: string
  readonly fault?: { readonly message: string; readonly code: string | undefined }
}

function answer(request: TranslationRequest): TranslationAnswer {
  try {
    const translation = translate(request)
    moveGit(request.folder, translation.git, request.gitFolders)
    return { translation }
  } catch (error) {
    if (error instanceof Failure && error.code === 'import-refused') return { refusal: error.message }
    const { message, code } = error as NodeJS.ErrnoException
    return { fault: { message, code } }
  }
}

parentPort!.postMessage(answer(workerData as TranslationRequest))
