use burn_tensor::{Device, Gradients, Tensor};
use truename_infer::{Error, Scope};

/// Numbers of a model, by the name that they have in its file.
///
/// They lie flat, so that whoever changes all of them need not know their shapes.
#[derive(Clone, Debug)]
pub struct Parameter {
    name: String,
    shape: Vec<usize>,
    value: Tensor<1>,
    is_trained: bool,
}

impl Parameter {
    /// The tensor of a checkpoint.
    pub fn load(scope: &Scope, tensor: &str, shape: &[usize], device: &Device) -> Result<Self, Error> {
        let values = scope.values(tensor, shape)?;
        let value = Tensor::from_data(values.as_slice(), device).require_grad();
        Ok(Self { name: scope.name(tensor), shape: shape.to_vec(), value, is_trained: true })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// From now on it keeps its value.
    pub fn freeze(&mut self) {
        self.is_trained = false;
        // `detach` would keep that a gradient is asked for.
        self.value = self.value.clone().inner().autodiff();
    }

    /// Whether weight decay applies: to weights of maps and tables, not to biases and norms.
    pub fn is_matrix(&self) -> bool {
        self.shape.len() > 1
    }

    pub fn vector(&self) -> Tensor<1> {
        self.value.clone()
    }

    pub fn matrix(&self) -> Tensor<2> {
        self.value.clone().reshape([self.shape[0], self.shape[1]])
    }

    pub fn values(&self) -> Vec<f32> {
        self.value.to_data().try_into_vec().expect("parameters are in single precision")
    }

    /// Takes its gradient out of those of a step; none where the step did not use it.
    pub fn take_gradient(&self, gradients: &mut Gradients) -> Option<Tensor<1>> {
        self.is_trained.then(|| self.value.grad_remove(gradients)).flatten()
    }

    /// Changes its value, given to `change` without autodiff.
    pub fn update(&mut self, change: impl FnOnce(Tensor<1>) -> Tensor<1>) {
        let nothing = Tensor::empty([0], &self.value.device().without_autodiff());
        let value = std::mem::replace(&mut self.value, nothing).inner();
        self.value = change(value).autodiff().require_grad();
    }
}
