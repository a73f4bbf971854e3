"""The network: one set of weights for every board, the same in torch and in ONNX Runtime."""

import numpy as np
import pytest
import torch

from inarow.errors import NetError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import NetworkConfig
from inarow.learning.alphazero.dense_network import DenseNetwork
from inarow.learning.alphazero.network import Network
from inarow.learning.alphazero.onnx_graph import from_onnx, to_onnx
from inarow.learning.net_file import Net, NetAbout, net_evaluator, to_bytes
from inarow.search.tree.evaluation import planes_of

ABOUT = NetAbout(kind="alphazero", board="any", config={}, seed=0)


def sample(board: str, count: int, seed: int = 0) -> np.ndarray:
    """Planes of positions of random games."""
    rng = np.random.default_rng(seed)
    found = []
    position = Position.start(GameSpec.parse(board))
    while len(found) < count:
        found.append(planes_of(position))
        position = position.play(rng.choice(position.legal_actions))
        if position.is_over:
            position = Position.start(position.spec)
    return np.stack(found)


def trained_a_little(channels: int = 8, blocks: int = 2) -> Network:
    """Weights and normalisation that are nothing like those of a new network."""
    torch.manual_seed(1)
    network = Network(channels, blocks)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    network.train()
    for seed in range(3):
        network(torch.from_numpy(sample("6x7x4", 20, seed)))
    return network.eval()


def state(network: Network) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in network.state_dict().items()}


@pytest.mark.parametrize("board", ["6x7x4", "4x9x3", "12x12x5", "tictactoe", "1x2x2"])
def test_torch_and_onnx_say_the_same(board):
    network = trained_a_little()
    evaluate = net_evaluator(Net(to_bytes(to_onnx(state(network)), ABOUT), "it"))
    for count in (1, 7):
        planes = sample(board, count)
        with torch.no_grad():
            logits, wins = network(torch.from_numpy(planes))
        found_logits, values = evaluate(planes)
        assert found_logits == pytest.approx(logits.numpy(), abs=1e-4)
        assert values == pytest.approx(2 * torch.sigmoid(wins).numpy() - 1, abs=1e-5)


@pytest.mark.parametrize(("padding", "parameters"), [(0, 170_376), (12, 645_837)])
def test_the_published_network_has_its_number_of_parameters_and_says_the_same_in_onnx(padding, parameters):
    torch.manual_seed(3)
    network = DenseNetwork(GameSpec(6, 7, 4), NetworkConfig(kind="dense", channels=64, padding=padding))
    assert sum(parameter.numel() for parameter in network.parameters()) == parameters
    network.train()
    for seed in range(3):
        network(torch.from_numpy(sample("6x7x4", 20, seed)))
    evaluate = net_evaluator(Net(to_bytes(network.eval().to_model(state(network)), ABOUT), "it"))
    planes = sample("6x7x4", 7)
    with torch.no_grad():
        logits, values = network(torch.from_numpy(planes))
    found_logits, found_values = evaluate(planes)
    assert found_logits == pytest.approx(logits.numpy(), abs=1e-4)
    assert found_values == pytest.approx(values.numpy(), abs=1e-5)
    assert np.ptp(found_logits, axis=1).max() == 0  # one logit per column


def test_boards_of_several_sizes_share_a_batch():
    network = trained_a_little()
    boards = ["6x7x4", "4x9x3", "5x5x4"]
    each = [sample(board, 2) for board in boards]
    mixed = np.zeros((6, 9, 6, 9), np.float32)
    for number, planes in enumerate(each):
        mixed[2 * number : 2 * number + 2, :, : planes.shape[2], : planes.shape[3]] = planes
    with torch.no_grad():
        logits, values = network(torch.from_numpy(mixed), is_mixed=True)
        for number, planes in enumerate(each):
            alone_logits, alone_values = network(torch.from_numpy(planes))
            _, rows, columns = alone_logits.shape
            there = logits[2 * number : 2 * number + 2, :rows, :columns]
            assert there.numpy() == pytest.approx(alone_logits.numpy(), abs=1e-4)
            assert values[2 * number : 2 * number + 2].numpy() == pytest.approx(alone_values.numpy(), abs=1e-4)


def test_normalisation_learns_from_cells_of_boards_only():
    plain, masked = Network(4, 1), Network(4, 1)
    masked.load_state_dict(plain.state_dict())
    planes = sample("5x5x4", 8)
    padded = np.zeros((8, 9, 7, 9), np.float32)
    padded[:, :, :5, :5] = planes
    plain(torch.from_numpy(planes))
    masked(torch.from_numpy(padded), is_mixed=True)
    for name, tensor in plain.state_dict().items():
        assert masked.state_dict()[name].numpy() == pytest.approx(tensor.numpy(), abs=1e-5), name


def test_a_new_network_has_no_opinion():
    logits, wins = Network(8, 1)(torch.from_numpy(sample("6x7x4", 5)))
    assert not logits.detach().numpy().any()
    assert not wins.detach().numpy().any()


def test_a_net_from_a_file_says_the_same_and_can_learn_on():
    network = trained_a_little()
    folded = Network(8, 2).eval()
    weights = from_onnx(to_bytes(to_onnx(state(network)), ABOUT))
    folded.load_state_dict({name: torch.tensor(array) for name, array in weights.items()}, strict=False)
    assert {name for name in folded.state_dict() if "tracked" not in name} == set(weights)
    planes = torch.from_numpy(sample("6x7x4", 20, seed=9))
    mixed = torch.nn.functional.pad(planes, (0, 2, 0, 3))

    def answers(of: Network) -> np.ndarray:
        with torch.no_grad():
            logits, values = of(planes)
        return np.concatenate([logits.numpy().ravel(), values.numpy()])

    before = answers(network)
    assert answers(folded) == pytest.approx(before, abs=1e-3)
    assert answers(folded.train()) != pytest.approx(before, abs=0.1)  # normalised by the batch
    for batch, is_mixed in ((planes, False), (mixed, True)):
        folded.load_state_dict({name: torch.tensor(array) for name, array in weights.items()}, strict=False)
        folded.measure(batch, is_mixed=is_mixed)
        assert answers(folded.eval()) == pytest.approx(before, abs=1e-3)
        assert answers(folded.train()) == pytest.approx(before, abs=1e-3)


def test_a_net_that_answers_in_other_shapes_is_refused():
    weights = state(trained_a_little())
    model = to_onnx(weights)
    model.graph.output[0].name, model.graph.output[1].name = "values", "logits"
    for output, shape in zip(model.graph.output, (["n"], ["n", "rows", "columns"]), strict=True):
        output.type.tensor_type.ClearField("shape")
        for size in shape:
            output.type.tensor_type.shape.dim.add(dim_param=size)
    evaluate = net_evaluator(Net(to_bytes(model, ABOUT), "it"))
    with pytest.raises(NetError, match="an AlphaZero net answers in"):
        evaluate(sample("6x7x4", 2))
