"""inspect_ai on the prompts of `model_client.py`, run by the interpreter of an environment that has it.

    <venv>/bin/python peer_inspect_ai.py URL MODEL IN_FLIGHT FILE

FILE holds JSON: `prompts` and the answer's JSON `schema`. Prints walls and CPU seconds of the timed evaluation.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    url, model, in_flight, file = sys.argv[1:]
    os.environ["OPENAI_API_KEY"] = "not-needed"
    asked = json.loads(Path(file).read_text("utf-8"))
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig, ResponseSchema, get_model
    from inspect_ai.solver import generate

    schema = ResponseSchema(name="icfr_task_c", json_schema=asked["schema"], strict=True)
    config = GenerateConfig(max_connections=int(in_flight), response_schema=schema, max_tokens=32)
    answering = get_model(f"openai/{model}", base_url=url, config=config, responses_api=False)

    def run(prompts: list[str], folder: str) -> int:
        task = Task(dataset=MemoryDataset([Sample(input=prompt) for prompt in prompts]), solver=generate())
        logs = evaluate(
            task, model=answering, max_samples=int(in_flight), log_dir=folder, display="none", log_level="error"
        )
        return sum(1 for sample in logs[0].samples or [] if sample.output.completion)

    with tempfile.TemporaryDirectory() as folder:
        run(asked["prompts"][:50], folder)  # imports and connections are not what is compared
        wall, cpu = time.perf_counter(), time.process_time()
        answered = run(asked["prompts"], folder)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"answered": answered, "wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    main()
