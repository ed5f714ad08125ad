"""AWS Batch for the embedded installation: its documented API, and jobs that really run as processes.

model           what botocore knows of the API: operations by path, requests and answers held to their shapes
registry        compute environments, queues and job definitions
jobs            a job from SUBMITTED to its end, and the operations on jobs
runner          the process of an attempt: command, environment, timeout, exit code
service         a request to its operation
authority       which resources an operation is allowed on
cloudformation  the three resource types of a stack
plugin          all of it inside the emulator, which signs, authenticates and evaluates IAM
"""
