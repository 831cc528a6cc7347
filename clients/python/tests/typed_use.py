"""How a typed program uses the client; read by the type checker, never run."""

from agent_eval_rpc import AsyncClient, Client, FeedbackReceipt, IngestResult, JudgeResult, Rubric
from agent_eval_rpc.models import RubricDimension


def use(client: Client) -> float:
    dimension = RubricDimension(id="a", description="x", weight=2, min=0, max=10)
    rubric = Rubric(name="r", description="d", system_prompt="s", dimensions=[dimension])
    result: JudgeResult = client.judge(rubric=rubric, content="x")
    ingested: IngestResult = client.ingest_traces({"eventId": str(n)} for n in range(3))
    receipt: FeedbackReceipt = client.send_feedback({"id": "t"})
    names: list[str] = [listed.name for listed in client.list_rubrics().rubrics]
    return result.composite + ingested.accepted + len(names) + len(receipt.version or "")


async def use_async(client: AsyncClient) -> str:
    result = await client.judge(rubric_name="r", content="x")
    return result.rubric_version
