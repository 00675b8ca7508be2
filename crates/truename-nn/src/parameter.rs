//! Parameters: flat tensors that learn, by the names that they have in a model folder.
//!
//! Parameters are not modules of `burn`: optimizer, checkpoint and fused layers need no shapes, and names are those
//! of the file.

use burn_tensor::{Device, Gradients, Tensor};
use truename_infer::{Error, Scope};
use truename_text::SplitMix64;

/// A trained tensor, with the name of the tensor in the model folder.
///
/// The numbers lie flat, so that the optimizer need not know shapes.
#[derive(Clone, Debug)]
pub struct Parameter {
    name: String,
    shape: Vec<usize>,
    value: Tensor<1>,
    /// Factor of the learning rate.
    rate: f64,
    is_trained: bool,
    is_constant: bool,
}

impl Parameter {
    /// Draws the values from a normal distribution, with the deviation that BERT's weights start with.
    pub fn initial(name: &str, shape: [usize; 2], seed: u64) -> Self {
        const DEVIATION: f64 = 0.02;
        let mut random = SplitMix64::new(seed ^ truename_text::stable_hash(name));
        let mut uniform = || (random.draw() >> 11) as f64 / (1u64 << 53) as f64;
        let mut normal = || {
            let (radius, angle) = ((-2.0 * (1.0 - uniform()).ln()).sqrt(), std::f64::consts::TAU * uniform());
            (DEVIATION * radius * angle.cos()) as f32
        };
        let values: Vec<f32> = (0..shape[0] * shape[1]).map(|_| normal()).collect();
        Self::new(name, &shape, &values)
    }

    /// Creates a parameter of an objective, on the CPU.
    ///
    /// # Panics
    /// Where there are not as many values as the shape has places.
    pub fn new(name: &str, shape: &[usize], values: &[f32]) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "{name} has shape {shape:?}");
        let value = Tensor::from_data(values, &Device::flex().autodiff()).require_grad();
        Self { name: name.to_owned(), shape: shape.to_vec(), value, rate: 1.0, is_trained: true, is_constant: false }
    }

    /// Takes the values of its namesake in a checkpoint, if there is one, and moves to a device.
    pub fn restore(&mut self, tensors: &Scope, device: &Device) -> Result<(), Error> {
        let values = if tensors.has(&self.name) { tensors.values(&self.name, &self.shape)? } else { self.values() };
        self.value = Tensor::from_data(values.as_slice(), device).require_grad();
        Ok(())
    }

    /// Loads a tensor of a checkpoint.
    pub fn load(scope: &Scope, tensor: &str, shape: &[usize], device: &Device) -> Result<Self, Error> {
        let values = scope.values(tensor, shape)?;
        let value = Tensor::from_data(values.as_slice(), device).require_grad();
        let (name, shape) = (scope.name(tensor), shape.to_vec());
        Ok(Self { name, shape, value, rate: 1.0, is_trained: true, is_constant: false })
    }

    /// Loads the bias of a map or norm: a constant 0 where the family has none.
    pub fn load_bias(scope: &Scope, tensor: &str, width: usize, device: &Device) -> Result<Self, Error> {
        if scope.has(tensor) {
            return Self::load(scope, tensor, &[width], device);
        }
        let value = Tensor::from_data(scope.bias(tensor, width)?.as_slice(), device);
        let (name, shape) = (scope.name(tensor), vec![width]);
        Ok(Self { name, shape, value, rate: 1.0, is_trained: false, is_constant: true })
    }

    /// Returns whether the model folder has no such tensor.
    pub fn is_constant(&self) -> bool {
        self.is_constant
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Puts a prefix before its name.
    pub fn prefix(&mut self, prefix: &str) {
        self.name.insert_str(0, prefix);
    }

    /// Keeps its value from now on.
    pub fn freeze(&mut self) {
        self.is_trained = false;
        // `detach` would keep that a gradient is asked for.
        self.value = self.value.clone().inner().autodiff();
    }

    /// Factor of the learning rate.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Sets the factor of the learning rate.
    pub fn set_rate(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// Returns whether weight decay applies: to weights of maps and tables, not to biases and norms.
    pub fn is_matrix(&self) -> bool {
        self.shape.len() > 1
    }

    pub fn vector(&self) -> Tensor<1> {
        self.value.clone()
    }

    pub fn matrix(&self) -> Tensor<2> {
        self.value.clone().reshape([self.shape[0], self.shape[1]])
    }

    pub fn tensor(&self) -> truename_infer::Tensor {
        truename_infer::Tensor::new(self.shape.clone(), self.values())
    }

    pub fn values(&self) -> Vec<f32> {
        self.value.to_data().try_into_vec().expect("parameters are in single precision")
    }

    /// Takes its gradient out of the gradients of a step; none where the step did not use the parameter.
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
