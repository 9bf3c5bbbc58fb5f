"""The worker of beanie: for each line of a task on standard input it does that once, and answers how much it has handled."""

import asyncio
import platform
import sys
from datetime import datetime
from importlib.metadata import version

from beanie import Document, Link, PydanticObjectId, init_beanie
from pymongo import AsyncMongoClient

uri, database, host, last = sys.argv[1:]


class Part(Document):
    name: str
    sku: str
    cost: float
    qty: int
    weight: int
    active: bool
    vendor: str
    note: str

    class Settings:
        name = "parts"


class Product(Document):
    """Its references are `DBRef`s, as beanie stores them."""

    name: str
    shelf: int
    parts: list[Link[Part]]

    class Settings:
        name = "beanie_products"


class LogMsg(Document):
    time: datetime
    message: str
    host: PydanticObjectId
    level: str
    source: str
    code: int

    class Settings:
        name = "logmsg"


async def join():
    # The server gives each part of a product once, so the references are counted.
    products = await Product.find(Product.shelf == 1, fetch_links=True).to_list()
    assert all(product.parts for product in products)
    return 200 * len(products)


async def logs():
    found = LogMsg.find(LogMsg.host == PydanticObjectId(host)).sort("-time", "-_id").limit(int(last))
    return len(await found.to_list())


async def main():
    client = AsyncMongoClient(uri)
    await init_beanie(client[database], document_models=[Part, Product, LogMsg], skip_indexes=True)
    versions = f"beanie {version('beanie')} (pymongo {version('pymongo')}, python {platform.python_version()})"
    print(f"ready: {versions}", flush=True)
    tasks = {"join": join, "logs": logs}
    while task := (await asyncio.to_thread(sys.stdin.readline)).strip():
        print(await tasks[task](), flush=True)


asyncio.run(main())
