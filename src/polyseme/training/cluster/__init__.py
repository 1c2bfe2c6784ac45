"""Training on a Ray cluster: `polyseme train --workers N`.

The process that the user starts is the driver; the workers are Ray actors. Both use the trainer, kernels, events,
checkpoints and model folder of a run on one machine. docs/cluster.md explains how it works.

    shards      the corpus in parts, which workers encode and keep
    worker      what a worker does: encode, train, sample contexts, find examples
    merging     how the changes of workers are combined, and which rows are merged when
    trainer     the rounds: a Trainer whose blocks are trained by workers
    discovery   senses from contexts of all workers, clustered once by the driver
    examples    example sentences from all workers
    pool        calling workers, noticing that one is lost, replacing it
    ray_pool    workers as Ray actors
    run         the steps of a run
"""
